/** One thing that this process is about to do to files or to a database. */
export interface Step {
  readonly name: string
  readonly target: string
}

/** Which steps are shown: those that change something, or every call of the machine. */
export type Reach = 'effects' | 'all'

/** Looks at a step before it is taken; a stop is thrown in the step's place, or after half of it. */
export type Watcher = (step: Step) => Stop | null

/** What happens at a step, and then nothing more of it. */
export interface Stop {
  /** Null where the step is taken after all, or its other half. */
  readonly error: Error | null
  /** Done first, after half of a write. */
  readonly act?: () => void
}

/** A function of Node that is wrapped. */
export type AnyFunction = (this: unknown, ...args: unknown[]) => unknown

/** The name of the error that says that the process is dead. */
export const DEATH = 'Death'

let watching: Watcher | null = null
let reachOfWatch: Reach = 'effects'
/** Functions of Node that call each other are one step. */
let depth = 0
let watches = 0
let steps = 0

/** How often somebody began to look, and how many steps came since. */
export function countSteps(): { readonly watches: number; readonly steps: number } {
  return { watches, steps }
}

/** Who looks at steps from now on. */
export function setWatcher(watcher: Watcher | null, shown: Reach): void {
  watching = watcher
  reachOfWatch = shown
  watches++
  steps = 0
}

/** Whether somebody looks already. */
export function isWatching(): boolean {
  return watching !== null
}

/** Does something that is not the process's own doing, and so no step of it. */
export function unwatched<T>(run: () => T): T {
  return asOneStep(run)
}

/** Shows a step; what is to happen at it, or null. */
export function look(name: string, target: string): Stop | null {
  const watcher = watching
  if (watcher === null || depth > 0) return null
  steps++
  return asOneStep(() => watcher({ name, target }))
}

/** The same for a step that only a full view shows. */
export function lookFinely(name: string, target: string): Stop | null {
  return reachOfWatch === 'all' ? look(name, target) : null
}

/** Comes to a step, and throws what is to be thrown at it. */
export function reach(name: string, target: string): void {
  stop(look(name, target))
}

/** The same for a step that only a full view shows. */
export function reachFinely(name: string, target: string): void {
  stop(lookFinely(name, target))
}

/** Stops as it was said to. */
export function stop(stopping: Stop | null): void {
  if (stopping === null) return
  asOneStep(() => stopping.act?.())
  if (stopping.error !== null) throw stopping.error
}

/** Stops at a step that answers instead of throwing; whether it answers that it failed. */
export function isStopped(stopping: Stop | null): boolean {
  if (stopping === null) return false
  asOneStep(() => stopping.act?.())
  if (stopping.error?.name === DEATH) throw stopping.error
  return stopping.error !== null
}

/** Runs something of which no part is a step. */
export function asOneStep<T>(run: () => T): T {
  depth++
  try {
    return run()
  } finally {
    depth--
  }
}

/** The first words of the arguments of a call. */
export function describe([target, second]: readonly unknown[]): string {
  const words = typeof second === 'string' ? [String(target), second] : [String(target)]
  return words.map((word) => word.slice(0, 200).split('\n')[0]).join(' ')
}
