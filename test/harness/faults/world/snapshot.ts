import { createHash } from 'node:crypto'
import * as fs from 'node:fs'
import { join } from 'node:path'
import { clear } from './world.ts'
import type { World } from './world.ts'

/** All that a process leaves of a world when it dies. */
export interface Snapshot {
  /** Equal for worlds that are equal in every name, mode and byte. */
  readonly key: string
  readonly entries: readonly Entry[]
}

interface Entry {
  readonly path: string
  readonly mode: number
  /** Null for a folder. */
  readonly bytes: Buffer | null
}

/**
 * Takes a snapshot of a world; files that have not changed since an earlier one are shared with it. What SQLite keeps in
 * shared memory is lost, as it is in a crash.
 */
export function takeSnapshot({ root, stateDir, marks }: World, earlier?: Snapshot): Snapshot {
  const entries: Entry[] = []
  const known = new Map(earlier?.entries.map(({ path, bytes }) => [path, bytes]))
  for (const part of [root, stateDir, marks]) if (fs.existsSync(part)) visit(part, entries, known)
  const hash = createHash('sha256')
  for (const { path, mode, bytes } of entries)
    hash.update(`${JSON.stringify(path)} ${mode} ${bytes === null ? 'folder' : digestOf(bytes)}\n`)
  return { key: hash.digest('hex'), entries }
}

/** Makes the world what it was. */
export function putBack(world: World, { entries }: Snapshot): void {
  clear(world)
  for (const { path, bytes } of entries) {
    if (bytes === null) fs.mkdirSync(path, { recursive: true })
    else fs.writeFileSync(path, bytes)
  }
  for (const { path, mode } of entries.toReversed()) fs.chmodSync(path, mode)
}

function visit(path: string, entries: Entry[], known: ReadonlyMap<string, Buffer | null>): void {
  const stat = fs.lstatSync(path)
  const mode = stat.mode & 0o7777
  if (stat.isDirectory()) {
    entries.push({ path, mode, bytes: null })
    for (const name of fs.readdirSync(path).toSorted()) visit(join(path, name), entries, known)
  } else if (!stat.isFile()) {
    throw new Error(`${path} is neither a file nor a folder, and not kept`)
  } else if (!path.endsWith('-shm')) {
    entries.push({ path, mode, bytes: readUnlessKnown(path, stat.size, known.get(path) ?? null) })
  }
}

/** Large files are read here again and again; a buffer for each would make this process large, and slow to start others. */
let scratch = Buffer.alloc(0)

function readUnlessKnown(path: string, size: number, known: Buffer | null): Buffer {
  if (scratch.length < size) scratch = Buffer.alloc(size)
  const fd = fs.openSync(path, 'r')
  try {
    const read = scratch.subarray(0, size === 0 ? 0 : fs.readSync(fd, scratch, 0, size, 0))
    return known !== null && read.equals(known) ? known : Buffer.from(read)
  } finally {
    fs.closeSync(fd)
  }
}

const digests = new WeakMap<Buffer, string>()

function digestOf(bytes: Buffer): string {
  const known = digests.get(bytes)
  if (known !== undefined) return known
  const digest = createHash('sha256').update(bytes).digest('hex')
  digests.set(bytes, digest)
  return digest
}
