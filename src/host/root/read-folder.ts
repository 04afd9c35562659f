import { Buffer } from 'node:buffer'
import { lstatSync, readdirSync } from 'node:fs'
import { compareCodePoints } from '../../core/text/compare.ts'
import { exactName, readableName } from './exact-name.ts'
import { entryKind } from './file-stat.ts'
import { errnoOf } from '../fs/errno.ts'
import type { FolderEntry } from './root.ts'

/** The entries of the folder at a system path, in code point order of the readable names. */
export function readFolder(path: string | Buffer): FolderEntry[] {
  return inOrder(readKinds(path) ?? readOneByOne(path))
}

/** Null if the file system does not report kinds, and Node fails to stat names that are not UTF-8. */
function readKinds(path: string | Buffer): FolderEntry[] | null {
  try {
    // Latin-1 preserves every byte: a name that is not UTF-8 would otherwise become a different one.
    return readdirSync(path, { withFileTypes: true, encoding: 'latin1' }).map((dirent) => {
      const exact = exactName(dirent.name)
      return { name: readableName(exact), exactName: exact, kind: entryKind(dirent) }
    })
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return null
    throw error
  }
}

/** Takes the stat of every name itself; a name that is gone by then is left out. */
export function readOneByOne(path: string | Buffer): FolderEntry[] {
  const folder = Buffer.from(typeof path === 'string' ? `${path}/` : Buffer.concat([path, Buffer.from('/')]))
  return readdirSync(path, { encoding: 'buffer' }).flatMap((bytes) => {
    const stats = lstatSync(Buffer.concat([folder, bytes]), { throwIfNoEntry: false })
    if (stats === undefined) return []
    const exact = exactName(bytes.toString('latin1'))
    return [{ name: readableName(exact), exactName: exact, kind: entryKind(stats) }]
  })
}

/** The system mostly returns names in order already, so they are sorted only if it does not. */
function inOrder(entries: FolderEntry[]): FolderEntry[] {
  for (let at = 1; at < entries.length; at++) {
    const before = entries[at - 1]
    const entry = entries[at]
    if (before !== undefined && entry !== undefined && compare(before, entry) > 0)
      return entries.toSorted(compare)
  }
  return entries
}

function compare(a: FolderEntry, b: FolderEntry): number {
  return compareCodePoints(a.name, b.name) || compareCodePoints(a.exactName, b.exactName)
}
