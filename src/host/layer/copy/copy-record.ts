import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { failure } from '../../../core/error.ts'
import { folderOf, nameOf } from '../../root/rel-path.ts'
import type { FileStat, Root } from '../../root/root.ts'

/** One name of a copy as it was made. What still looks so was not touched by a command. */
export interface CopiedName {
  readonly ino: number
  readonly changedMs: number
  readonly mode: number
  readonly uid: number
  readonly gid: number
}

/** What a copy held before the first command ran on it. */
export interface CopyRecord {
  readonly find: (path: string) => CopiedName | null
  readonly namesIn: (folder: string) => readonly string[]
  /** Whether something else shows at this place while commands run. */
  readonly isHole: (path: string) => boolean
}

type Row = readonly [path: string, ino: number, changedMs: number, mode: number, uid: number, gid: number]

/** A place of a copy at which something else shows while commands run. */
export interface CopyHole {
  readonly path: string
  readonly isWritable: boolean
}

interface Stored {
  readonly rows: readonly Row[]
  readonly holes: readonly CopyHole[]
}

/** In the folder of a part. */
export const RECORD_FILE = 'copied'

/** Notes what a copy holds, in the folder of its part. */
export function writeRecord(folder: string, upper: Root, holes: readonly CopyHole[]): void {
  const rows: Row[] = []
  upper.walk('', (entry) => {
    const stat = entry.stat()
    if (!('fault' in stat)) rows.push(rowOf(entry.exactPath, stat))
    return 'enter'
  })
  const stored: Stored = { rows, holes }
  writeFileSync(join(folder, RECORD_FILE), JSON.stringify(stored), { mode: 0o600 })
}

function rowOf(path: string, { ino, changedMs, mode, uid, gid }: FileStat): Row {
  return [path, ino, changedMs, mode, uid, gid]
}

/** Reads what a copy held at first. */
export function readRecord(folder: string): CopyRecord {
  const { rows, holes } = parse(folder)
  const byPath = new Map(
    rows.map(([path, ino, changedMs, mode, uid, gid]) => [path, { ino, changedMs, mode, uid, gid }]),
  )
  const byFolder = Map.groupBy(byPath.keys(), folderOf)
  const holeSet = new Set(holes.map(({ path }) => path))
  return {
    find: (path) => byPath.get(path) ?? null,
    namesIn: (path) => (byFolder.get(path) ?? []).map(nameOf),
    isHole: (path) => holeSet.has(path),
  }
}

/** Where something else shows on a copy. */
export function holesOf(folder: string): readonly CopyHole[] {
  return parse(folder).holes
}

function parse(folder: string): Stored {
  try {
    return JSON.parse(readFileSync(join(folder, RECORD_FILE), 'utf8')) as Stored
  } catch {
    throw failure('execution_failed', 'The layer of the command is gone.')
  }
}
