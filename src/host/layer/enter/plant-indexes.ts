import { chmodSync, chownSync, mkdirSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { FileStat } from '../../root/root.ts'
import type { SteadyIndex } from './steady-index.ts'

/**
 * Makes a folder that shows between the workspace and what commands write, with indexes for git, and returns the inodes of the
 * folders in it by their paths. What stays as it is there is not a change.
 */
export function plantIndexes(top: string, indexes: readonly SteadyIndex[]): ReadonlyMap<string, number> {
  const folders = new Map(indexes.flatMap((index) => index.folders.map(({ path, stat }) => [path, stat])))
  const inodes = new Map<string, number>()
  for (const path of folders.keys()) {
    mkdirSync(join(top, path), { mode: 0o700 })
    inodes.set(path, statSync(join(top, path)).ino)
  }
  for (const { path, bytes, stat } of indexes) writeLike(join(top, path), bytes, stat)
  for (const [path, stat] of [...folders].toReversed()) imitate(join(top, path), stat)
  return inodes
}

/** Writes a file that does not exist yet such that it looks like another. */
export function writeLike(path: string | Buffer, bytes: Uint8Array, stat: FileStat): void {
  writeFileSync(path, bytes, { mode: 0o600, flag: 'wx' })
  imitate(path, stat)
}

function imitate(path: string | Buffer, { uid, gid, mode, modifiedMs }: FileStat): void {
  const own = statSync(path)
  if (own.uid !== uid || own.gid !== gid) chownSync(path, uid, gid)
  chmodSync(path, mode & 0o7777)
  utimesSync(path, modifiedMs / 1000, modifiedMs / 1000)
}
