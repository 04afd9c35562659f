import { Buffer } from 'node:buffer'
import { hash } from 'node:crypto'
import {
  closeSync,
  fdatasyncSync,
  fstatSync,
  lstatSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  readSync,
  renameSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import { cpuClock, round, timeInTurns } from './measure.ts'
import type { Work } from './measure.ts'
import type { Place } from './place.ts'

/** What a call cannot do without, each part measured by itself in the same run, as a sentence. */
export type Floor = string

const ARGS = { a: 1, b: 2 }
const RESULT = { ok: true, result: { sum: 3 }, content: 'sum: 3' }
const RECORD = JSON.stringify({ ...RESULT, gates: 'x'.repeat(700) })
const SMALL_FILE_BYTES = 260

/** The parts of a trivial call that is on record: what it was called with, returned and was answered. */
const CALL_PARTS = {
  'three SHA-256': () => ['{"a":1,"b":2}', '{"sum":3}', RECORD].map((text) => hash('sha256', text, 'hex')),
  'JSON of arguments and result': () => {
    JSON.parse(JSON.stringify(ARGS))
    JSON.stringify(RESULT.result)
    JSON.stringify(RESULT)
  },
  'ten turns of the queue': async () => {
    for (let turn = 0; turn < 10; turn++) await undefined
  },
}

/** These parts, each by itself. */
export function callFloor(): Promise<Floor> {
  return measureParts(CALL_PARTS)
}

/** All of them one after the other, to be timed in the same turns as what is compared. */
export async function callLeast(): Promise<void> {
  for (const part of Object.values(CALL_PARTS)) await part()
}

/** The same for reading a file without trusting a name twice. */
export function readFloor({ root }: Pick<Place, 'root'>, name: string): Promise<Floor> {
  const path = join(root, name)
  const bytes = Buffer.alloc(SMALL_FILE_BYTES + 1)
  const folder = openSync(root, 'r')
  return measureParts({
    'a folder confirmed by /proc': () => readlinkSync(`/proc/self/fd/${folder}`),
    'a look at the name': () => lstatSync(path),
    'open, stat, read and close': () => {
      const fd = openSync(path, 'r')
      fstatSync(fd)
      readSync(fd, bytes, 0, bytes.length, 0)
      closeSync(fd)
    },
    'four SHA-256': () =>
      [bytes, RECORD, RECORD, '{"path":"small.txt"}'].map((one) => hash('sha256', one, 'hex')),
  }).finally(() => closeSync(folder))
}

/** The same for opening a file below the root where Node has no native calls: by the handle of its folder. */
export function openFloor(folder: string, name: string): Promise<Floor> {
  const fd = openSync(folder, 'r')
  return measureParts(
    {
      'a folder confirmed by /proc': () => readlinkSync(`/proc/self/fd/${fd}`),
      'open in it, stat and close': () => {
        const file = openSync(`/proc/self/fd/${fd}/${name}`, 'r')
        fstatSync(file)
        closeSync(file)
      },
    },
    'The rest is checking the path',
  ).finally(() => closeSync(fd))
}

/** Walks a tree with what Node has: one reading for each folder, one look at each file. */
export function walkLeast(top: string): number {
  let count = 0
  for (const entry of readdirSync(top, { withFileTypes: true })) {
    const path = join(top, entry.name)
    if (entry.isDirectory()) count += walkLeast(path)
    else lstatSync(path)
    count++
  }
  return count
}

/**
 * What a patch over these files cannot do without to be whole after a crash: both contents of each are hashed, the log holds
 * the new ones and is synced, and then each file gets its content by a rename.
 */
export function patchLeast(folder: string, names: readonly string[], content: string): Work {
  const log = openSync(join(folder, 'log'), 'w')
  const bytes = Buffer.from(content)
  return () => {
    for (const [index, name] of names.entries()) {
      hash('sha256', readFileSync(join(folder, name)), 'hex')
      hash('sha256', bytes, 'hex')
      writeSync(log, bytes, 0, bytes.length, index * bytes.length)
    }
    fdatasyncSync(log)
    for (const name of names) {
      writeFileSync(join(folder, `${name}.new`), bytes)
      renameSync(join(folder, `${name}.new`), join(folder, name))
    }
  }
}

/** The same for putting a call on record twice, before it runs and when it has ended. */
export function writeFloor({ top }: Pick<Place, 'top'>): Promise<Floor> {
  const fd = openSync(join(top, 'floor'), 'w')
  const frame = Buffer.alloc(850, 1)
  return measureParts({
    'two writes of 850 bytes': () => {
      writeSync(fd, frame, 0, frame.length, 0)
      writeSync(fd, frame, 0, frame.length, frame.length)
    },
    'five SHA-256': () => Array.from({ length: 5 }, () => hash('sha256', RECORD, 'hex')),
    'JSON of two entries': () => {
      JSON.stringify({ ...RESULT, gates: RECORD })
      JSON.stringify({ ...ARGS, gates: RECORD })
    },
  }).finally(() => closeSync(fd))
}

/** What the files of edits take by themselves: for each a backup and a new file, put in place and the old one removed; and one sync for all. */
export async function editFloor({ top }: Pick<Place, 'top'>, many: number): Promise<Floor> {
  const log = openSync(join(top, 'log'), 'w')
  const content = Buffer.alloc(SMALL_FILE_BYTES, 1)
  const paths = Array.from({ length: many }, (_, index) => join(top, `edited${index}`))
  for (const path of paths) writeFileSync(path, content)
  const replace = (path: string): void => {
    writeFileSync(`${path}.backup`, content)
    writeFileSync(`${path}.new`, content)
    renameSync(`${path}.new`, path)
    rmSync(`${path}.backup`)
  }
  const edit = (edited: readonly string[]): void => {
    writeSync(log, content, 0, content.length, 0)
    fdatasyncSync(log)
    for (const path of edited) replace(path)
  }
  const times = await timeInTurns(
    { one: () => edit(paths.slice(0, 1)), all: () => edit(paths) },
    { rounds: 21, runs: 5, warmUp: 10 },
  )
  closeSync(log)
  return `files and sync alone, without judging, recording or staging, took ${round(times.one)} us for one edit and ${round(times.all)} for ${many} in the same run: ${round(times.all / times.one)} times as long`
}

async function measureParts(
  parts: Readonly<Record<string, Work>>,
  rest = 'The rest is judging, recording and collecting garbage',
): Promise<Floor> {
  const times = await timeInTurns(parts, { rounds: 9, runs: 400, warmUp: 10, clock: cpuClock })
  const listed = Object.entries(times).map(([part, us]) => `${part} ${round(us)}`)
  const sum = Object.values(times).reduce((all, us) => all + us, 0)
  return `of it, in us, measured alone in the same run: ${listed.join(', ')}; together ${round(sum)}. ${rest}`
}
