import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { DatabaseSync, StatementSync } from 'node:sqlite'
import { findNative } from '../../../../src/host/native/load-native.ts'
import type { NativeName } from '../../../../src/host/native/native.ts'

/** One thing that this process is about to do to files or to a database. */
export interface Step {
  readonly name: string
  readonly target: string
}

/** Looks at a step before it is taken; a stop is thrown in the step's place, or after half of it. */
export type Watcher = (step: Step) => Stop | null

/** What happens at a step, and then nothing more of it. */
export interface Stop {
  /** Null where the step is taken after all, or its other half. */
  readonly error: Error | null
  /** Done first, after half of a write. */
  readonly act?: () => void
}

type AnyFunction = (this: unknown, ...args: unknown[]) => unknown

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
  'symlinkSync',
  'chownSync',
  'lchownSync',
]
const WRITES = ['writeSync', 'writeFileSync', 'appendFileSync']
/** What a write is called when it is about to be cut short. */
export const HALF = 'half of '

const functions = fs as unknown as Record<string, AnyFunction>
const sqlOf = new WeakMap<object, string>()
let watching: Watcher | null = null
/** Functions of Node that call each other are one step. */
let depth = 0
let isInstalled = false
const appendFile = fs.appendFileSync as AnyFunction

/**
 * Shows a watcher every step of this process while `body` runs. A write is two steps; stopping at the second one
 * leaves half of it behind. Inside a transaction of a database only its beginning and its end are steps.
 */
export async function watchSteps(watcher: Watcher, body: () => Promise<void>): Promise<void> {
  if (watching !== null) throw new Error('one watcher at a time')
  startWatching(watcher)
  try {
    await body()
  } finally {
    watching = null
  }
}

/** Shows a watcher every step of this process from now on. */
export function startWatching(watcher: Watcher): void {
  install()
  watching = watcher
}

/** Does something that is not the process's own doing, and so no step of it. */
export function unwatched<T>(run: () => T): T {
  return asOneStep(run)
}

function look(name: string, target: string): Stop | null {
  const watcher = watching
  return watcher === null || depth > 0 ? null : asOneStep(() => watcher({ name, target }))
}

function reach(name: string, target: string): void {
  stop(look(name, target))
}

function stop(stopping: Stop | null): void {
  if (stopping === null) return
  asOneStep(() => stopping.act?.())
  if (stopping.error !== null) throw stopping.error
}

function asOneStep<T>(run: () => T): T {
  depth++
  try {
    return run()
  } finally {
    depth--
  }
}

function install(): void {
  if (isInstalled) return
  isInstalled = true
  for (const name of [...EFFECTS, ...WRITES, 'openSync']) wrap(name)
  syncBuiltinESMExports()
  wrapDatabase()
  wrapNative()
}

/** A native rename is the same step as one of Node. */
function wrapNative(): void {
  const native = findNative()
  if (typeof native === 'string') return
  const { rename } = native
  const pathOf = ({ folder, name }: NativeName): string => `/proc/${process.pid}/fd/${folder}/${name}`
  const stepped: typeof rename = (from, to, how) => {
    reach('renameSync', describe([pathOf(from), pathOf(to)]))
    return asOneStep(() => rename(from, to, how))
  }
  Object.assign(native, { rename: stepped })
}

function wrap(name: string): void {
  const original = functions[name]
  if (original === undefined) throw new Error(`node:fs has no ${name}`)
  functions[name] = function (this: unknown, ...args: unknown[]) {
    if (name !== 'openSync' || isCreating(args[1])) reach(name, describe(args))
    if (WRITES.includes(name) && !isOneSector(args)) return writeInHalves(name, original.bind(this), args)
    return asOneStep(() => original.apply(this, args))
  }
}

function writeInHalves(
  name: string,
  write: (...args: unknown[]) => unknown,
  args: readonly unknown[],
): unknown {
  const stopping = look(HALF + name, describe(args))
  if (stopping === null) return asOneStep(() => write(...args))
  const [first, second] = halve(name, args)
  const written = asOneStep(() => write(...first))
  stop(stopping)
  if (name !== 'writeSync') return asOneStep(() => appendFile(...second))
  return Number(written) + Number(asOneStep(() => write(...second)))
}

/** What to write first, and what remains to be written, or to be appended to a whole file. */
function halve(name: string, args: readonly unknown[]): readonly [unknown[], unknown[]] {
  const [target, data, ...rest] = args
  const bytes = typeof data === 'string' ? Buffer.from(data) : (data as Uint8Array)
  if (name !== 'writeSync') {
    const half = bytes.length >> 1
    return [
      [target, bytes.subarray(0, half), ...rest],
      [target, bytes.subarray(half)],
    ]
  }
  const [offset = 0, length = bytes.length, position = null] = rest
  const half = Number(length) >> 1
  const next = position === null ? null : Number(position) + half
  return [
    [target, bytes, offset, half, position],
    [target, bytes, Number(offset) + half, Number(length) - half, next],
  ]
}

/** Overwriting one sector of a disk in place happens whole or not at all. */
function isOneSector([, , , length, position]: readonly unknown[]): boolean {
  return typeof position === 'number' && position % 512 === 0 && Number(length) <= 512
}

function isCreating(flags: unknown): boolean {
  if (typeof flags === 'number') return (flags & (fs.constants.O_CREAT | fs.constants.O_TRUNC)) !== 0
  return typeof flags === 'string' && /[wa]/.test(flags)
}

function describe([target, second]: readonly unknown[]): string {
  const words = typeof second === 'string' ? [String(target), second] : [String(target)]
  return words.map((word) => word.slice(0, 200).split('\n')[0]).join(' ')
}

function wrapDatabase(): void {
  const { exec, prepare } = DatabaseSync.prototype
  const run = StatementSync.prototype.run as AnyFunction
  DatabaseSync.prototype.exec = function (sql) {
    if (/BEGIN|COMMIT|CREATE|INSERT/.test(sql)) reach('exec', sql.slice(0, 60))
    return asOneStep(() => exec.call(this, sql))
  }
  DatabaseSync.prototype.prepare = function (...args) {
    const statement = prepare.apply(this, args)
    sqlOf.set(statement, args[0])
    return statement
  }
  StatementSync.prototype.run = function (this: StatementSync, ...args: unknown[]) {
    const sql = sqlOf.get(this) ?? ''
    if (/^(BEGIN|COMMIT)/.test(sql)) reach('run', sql)
    return asOneStep(() => run.apply(this, args)) as ReturnType<StatementSync['run']>
  }
}
