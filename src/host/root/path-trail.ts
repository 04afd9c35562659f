import { lstatSync, readlinkSync } from 'node:fs'
import { dirname, join, parse, sep } from 'node:path'
import type { FileStat } from './root.ts'
import { identityOf } from './file-stat.ts'

/**
 * Every name that a path leads through, from the top down, links included: what another program passes that opens the path
 * by its words. Two looks at it show whether the path could have led elsewhere in between.
 */
export interface PathTrail {
  readonly steps: readonly TrailStep[]
  readonly takenMs: number
  /** What the path leads to; see `identityOf`. */
  readonly end: string
}

interface TrailStep {
  readonly path: string
  /** Where the step of its folder is; null for the top. */
  readonly above: number | null
  readonly look: Look
}

interface Look {
  readonly identity: string
  readonly changedNs: bigint
}

/** See `fileStampOf`: a name that changed within a tick of a look may change again without a trace. */
const TICK_MS = 20
const NS_PER_MS = 1_000_000n
const MOST_LINKS = 40

/** Follows an absolute path as the system does; null if it leads nowhere. */
export function followTrail(path: string): PathTrail | null {
  const takenMs = Date.now()
  const steps: TrailStep[] = []
  const known = new Map<string, number>()
  let links = 0
  const pass = (step: string): string => {
    const stats = lstatSync(step, { bigint: true })
    const above = known.get(dirname(step)) ?? null
    if (!known.has(step)) {
      known.set(step, steps.length)
      steps.push({ path: step, above, look: lookOf(stats) })
    }
    if (!stats.isSymbolicLink()) return step
    links++
    if (links > MOST_LINKS) throw new Error('too many links')
    return walk(dirname(step), readlinkSync(step))
  }
  /** Where a path leads from a folder that was passed, once its links are followed. */
  const walk = (folder: string, words: string): string => {
    const top = parse(words).root
    let at = top === '' ? folder : pass(top)
    for (const part of words.slice(top.length).split(sep)) {
      if (part === '..') at = dirname(at)
      else if (part !== '' && part !== '.') at = pass(join(at, part))
    }
    return at
  }
  try {
    const end = steps[known.get(walk('', path)) ?? -1]
    return end === undefined ? null : { steps, takenMs, end: end.look.identity }
  } catch {
    return null
  }
}

/** Whether changes of the names that lead along it can be seen by a second look; right after a change they cannot. */
export function isSettled(trail: PathTrail): boolean {
  return holds(trail, trail.steps.length, (step) => step.look, trail.takenMs)
}

/**
 * Whether the path has led along these names, and to nothing else, since the trail was taken; `ending` says whether its end
 * may have been changed or replaced. A name leads elsewhere only if what it names is renamed or removed, which changes the
 * time of that, and the time of the folder: one of the two has to be as it was. Looked at from the bottom up: what was
 * seen first was reached through names that are looked at later.
 */
export function hasHeld(trail: PathTrail, ending: 'same' | 'any' = 'same'): boolean {
  const { steps } = trail
  const count = ending === 'same' ? steps.length : steps.length - 1
  const now = new Map<TrailStep, Look>()
  try {
    for (const step of steps.slice(0, count).toReversed())
      now.set(step, lookOf(lstatSync(step.path, { bigint: true })))
  } catch {
    return false
  }
  return holds(trail, count, (step) => now.get(step) ?? null, Date.now())
}

function holds(
  { steps, takenMs }: PathTrail,
  count: number,
  nowOf: (step: TrailStep) => Look | null,
  nowMs: number,
): boolean {
  const isUnchanged = (step: TrailStep): boolean => {
    const now = nowOf(step)
    return (
      now?.identity === step.look.identity &&
      now.changedNs === step.look.changedNs &&
      !isWithin(step.look.changedNs, takenMs - TICK_MS, nowMs + TICK_MS)
    )
  }
  return steps.slice(0, count).every((step) => {
    if (nowOf(step)?.identity !== step.look.identity) return false
    const above = step.above === null ? undefined : steps[step.above]
    return step.above === null || isUnchanged(step) || (above !== undefined && isUnchanged(above))
  })
}

function isWithin(changedNs: bigint, fromMs: number, toMs: number): boolean {
  return changedNs >= BigInt(fromMs) * NS_PER_MS && changedNs <= BigInt(toMs) * NS_PER_MS
}

function lookOf({
  dev,
  ino,
  ctimeNs,
}: {
  readonly dev: bigint
  readonly ino: bigint
  readonly ctimeNs: bigint
}): Look {
  const stat: Pick<FileStat, 'dev' | 'ino'> = { dev: Number(dev), ino: Number(ino) }
  return { identity: identityOf(stat), changedNs: ctimeNs }
}
