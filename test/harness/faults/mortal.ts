import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { DatabaseSync, StatementSync } from 'node:sqlite'

/** One thing that a process does to the world, or begins to do. */
export interface Step {
  readonly name: string
  readonly target: string
}

/** Thrown at the step where a process is to die; from then on every further step throws it too. */
export class Death extends Error {
  constructor(step: Step) {
    super(`died at ${step.name} ${step.target}`)
    this.name = 'Death'
  }
}

/** How a life went: every step it came to, and the one it died at. */
export interface Life {
  readonly steps: readonly Step[]
  readonly diedAt: Step | null
}

interface Living {
  readonly steps: Step[]
  readonly isFatal: (step: Step, number: number) => boolean
  readonly onDeath: () => void
  diedAt: Step | null
}

type AnyFunction = (this: unknown, ...args: unknown[]) => unknown

let living: Living | null = null
/** Functions of Node that call each other are one step. */
let depth = 0

const functions = fs as unknown as Record<string, AnyFunction>
const EFFECTS = [
  'mkdirSync',
  'rmdirSync',
  'renameSync',
  'unlinkSync',
  'linkSync',
  'rmSync',
  'fchmodSync',
  'chmodSync',
  'fchownSync',
  'fsyncSync',
  'fdatasyncSync',
  'copyFileSync',
]
const WRITES = ['writeSync', 'writeFileSync', 'appendFileSync']
const sqlOf = new WeakMap<object, string>()

/**
 * Runs `body` as if it were a process that dies at the first fatal step: nothing of it reaches files or databases
 * afterwards. A write is two steps, the second of which leaves half of it behind. `onDeath` sees the world as it
 * was at that moment.
 */
export async function liveUntil(
  isFatal: (step: Step, number: number) => boolean,
  onDeath: () => void,
  body: () => Promise<void>,
): Promise<Life> {
  if (living !== null) throw new Error('only one life at a time')
  install()
  const life: Living = { steps: [], isFatal, onDeath, diedAt: null }
  living = life
  try {
    await body()
  } catch (error) {
    if (life.diedAt === null) throw error
  } finally {
    living = null
  }
  return { steps: life.steps, diedAt: life.diedAt }
}

/** Takes a step; true means that this is where the process dies. */
function reach(name: string, target: string): void {
  const life = living
  if (life === null) return
  const step = { name, target }
  if (life.diedAt !== null) throw new Death(life.diedAt)
  life.steps.push(step)
  if (!life.isFatal(step, life.steps.length)) return
  life.diedAt = step
  living = null
  life.onDeath()
  living = life
  throw new Death(step)
}

function asOneStep<T>(run: () => T): T {
  depth++
  try {
    return run()
  } finally {
    depth--
  }
}

let isInstalled = false

function install(): void {
  if (isInstalled) return
  isInstalled = true
  for (const name of EFFECTS) wrap(name, (original, self, args) => {
    reach(name, describe(args))
    return asOneStep(() => original.apply(self, args))
  })
  for (const name of WRITES) wrap(name, (original, self, args) => {
    reach(name, describe(args))
    reachHalf(name, original, self, args)
    return asOneStep(() => original.apply(self, args))
  })
  wrap('openSync', (original, self, args) => {
    if (isCreating(args[1])) reach('openSync', describe(args))
    return asOneStep(() => original.apply(self, args))
  })
  syncBuiltinESMExports()
  wrapDatabase()
}

function wrap(name: string, wrapped: (original: AnyFunction, self: unknown, args: unknown[]) => unknown): void {
  const original = functions[name]
  if (original === undefined) throw new Error(`node:fs has no ${name}`)
  functions[name] = function (this: unknown, ...args: unknown[]) {
    return living === null || depth > 0 ? original.apply(this, args) : wrapped(original, this, args)
  }
}

/** The step in the middle of a write: if it is fatal, the first half is written. */
function reachHalf(name: string, original: AnyFunction, self: unknown, args: unknown[]): void {
  try {
    reach(`half of ${name}`, describe(args))
  } catch (death) {
    const isNew = living?.steps.at(-1)?.name === `half of ${name}` && living.steps.at(-1) === living.diedAt
    if (isNew) asOneStep(() => original.apply(self, halve(name, args)))
    throw death
  }
}

function halve(name: string, args: readonly unknown[]): unknown[] {
  const [target, data, ...rest] = args
  const bytes = typeof data === 'string' ? Buffer.from(data) : (data as Uint8Array)
  if (name !== 'writeSync') return [target, bytes.subarray(0, bytes.length >> 1), ...rest]
  const [offset = 0, length = bytes.length, position = null] = rest
  return [target, bytes, offset, Number(length) >> 1, position]
}

function isCreating(flags: unknown): boolean {
  if (typeof flags === 'number') return (flags & (fs.constants.O_CREAT | fs.constants.O_TRUNC)) !== 0
  return typeof flags === 'string' && /[wa]/.test(flags)
}

function describe([target, second]: readonly unknown[]): string {
  const words = [target, typeof second === 'string' ? second : ''].map((word) => (word instanceof Buffer ? word.toString() : String(word)))
  return words.filter((word) => word !== '').map((word) => word.slice(0, 200).split('\n')[0]).join(' ')
}

/** Inside a transaction nothing is lost or kept by dying, so only its end counts, and the start of anything else. */
function wrapDatabase(): void {
  const { exec, prepare } = DatabaseSync.prototype
  const { run } = StatementSync.prototype
  DatabaseSync.prototype.exec = function (sql) {
    if (/BEGIN|COMMIT|CREATE|INSERT/.test(sql)) reach('exec', sql.slice(0, 60))
    return asOneStep(() => exec.call(this, sql))
  }
  DatabaseSync.prototype.prepare = function (...args) {
    const statement = prepare.apply(this, args)
    sqlOf.set(statement, args[0])
    return statement
  }
  StatementSync.prototype.run = function (this: StatementSync, ...args: never[]) {
    const sql = sqlOf.get(this) ?? ''
    if (/^(BEGIN|COMMIT)/.test(sql)) reach('run', sql)
    return asOneStep(() => run.apply(this, args))
  }
}
