import fs from 'node:fs'
import { asOneStep, describe, isStopped, look, lookFinely, reach, reachFinely, stop } from './watching.ts'
import type { AnyFunction } from './watching.ts'

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
/** They change something too, but only a full view shows them. */
const FINER = ['ftruncateSync', 'truncateSync', 'utimesSync', 'lutimesSync', 'mkdtempSync']
const READS = [
  'accessSync',
  'existsSync',
  'fstatSync',
  'lstatSync',
  'opendirSync',
  'readFileSync',
  'readSync',
  'readdirSync',
  'readlinkSync',
  'realpathSync',
  'statSync',
  'statfsSync',
]
/** They answer later, and are called with a function. */
const CALLED_BACK = ['fsync', 'fdatasync']
const WRITES = ['writeSync', 'writeFileSync', 'appendFileSync']
/** What a write is called when it is about to be cut short. */
export const HALF = 'half of '

/** What opening is called where nothing is created. */
export const READING_OPEN = 'openSync to read'

const functions = fs as unknown as Record<string, AnyFunction>
const appendFile = fs.appendFileSync as AnyFunction

const ASKED = new Set([
  'openPlain',
  'openBelow',
  'statAt',
  'isMounted',
  'hasAttributes',
  'attributeNames',
  'readAttributes',
  'get',
  'all',
  'iterate',
])

/** Whether a step changes nothing. */
export function isReading(name: string): boolean {
  return READS.includes(name) || ASKED.has(name) || name === READING_OPEN || name === 'closeSync'
}

/** Makes a step of every call of the file system. */
export function wrapFiles(): void {
  for (const name of [...EFFECTS, ...WRITES, 'openSync']) wrap(name)
  for (const name of [...FINER, ...READS]) wrapFinely(name)
  for (const name of CALLED_BACK) wrapCalledBack(name)
  wrapClose()
}

function wrapFinely(name: string): void {
  const original = functions[name]
  if (original === undefined) throw new Error(`node:fs has no ${name}`)
  const wrapped = function (this: unknown, ...args: unknown[]) {
    if (name === 'existsSync') return exists(original, args)
    reachFinely(name, describe(args))
    return asOneStep(() => original.apply(this, args))
  }
  // Some have functions of their own, such as realpathSync.native.
  functions[name] = Object.assign(wrapped, original)
}

/** It never throws: what cannot be looked at is not there. */
function exists(original: AnyFunction, args: unknown[]): unknown {
  return !isStopped(lookFinely('existsSync', describe(args))) && asOneStep(() => original(...args))
}

/** A file is closed even where closing it fails. */
function wrapClose(): void {
  const { closeSync } = fs
  fs.closeSync = (fd) => {
    const stopping = lookFinely('closeSync', String(fd))
    asOneStep(() => stopping?.act?.())
    closeSync(fd)
    if (stopping !== null && stopping.error !== null) throw stopping.error
  }
}

function wrapCalledBack(name: string): void {
  const original = functions[name]
  if (original === undefined) throw new Error(`node:fs has no ${name}`)
  functions[name] = function (this: unknown, ...args: unknown[]) {
    const stopping = lookFinely(name, describe(args))
    asOneStep(() => stopping?.act?.())
    const done = args.at(-1)
    if (stopping !== null && stopping.error !== null && typeof done === 'function')
      return void queueMicrotask(() => void done(stopping.error))
    return original.apply(this, args)
  }
}

function wrap(name: string): void {
  const original = functions[name]
  if (original === undefined) throw new Error(`node:fs has no ${name}`)
  functions[name] = function (this: unknown, ...args: unknown[]) {
    if (name !== 'openSync' || isCreating(args[1])) reach(name, describe(args))
    else reachFinely(READING_OPEN, describe(args))
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
