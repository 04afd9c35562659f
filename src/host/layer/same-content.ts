import { Buffer } from 'node:buffer'
import { readlinkSync } from 'node:fs'
import { ToolFailure } from '../../core/error.ts'
import { exactName, systemName } from '../root/exact-name.ts'
import { folderOf } from '../root/rel-path.ts'
import type { FileStat, OpenFile, Root } from '../root/root.ts'
import type { OpenedNames } from './opened-folders.ts'

/** How much of two files is compared at a time. */
const PIECE_BYTES = 1024 ** 2

/** Whether mode and owner are the same. */
export function areAlike(
  one: Pick<FileStat, 'mode' | 'uid' | 'gid'>,
  other: Pick<FileStat, 'mode' | 'uid' | 'gid'>,
): boolean {
  return one.mode === other.mode && one.uid === other.uid && one.gid === other.gid
}

/** Opens a file of the upper layer, also one that its owner may not read. */
export function openUpper(upper: Root, path: string, opened: OpenedNames): OpenFile {
  try {
    return upper.openFile(path)
  } catch (thrown) {
    const stat = isRefused(thrown) ? upper.stat(path) : null
    if (stat?.kind !== 'file' || !opened.open(path, stat)) throw thrown
    return upper.openFile(path)
  }
}

function isRefused(thrown: unknown): boolean {
  return thrown instanceof ToolFailure && thrown.error.details['errno'] === 'EACCES'
}

/** Where a link points, byte for byte. */
export function readLink(root: Root, path: string): string {
  const name = path.slice(path.lastIndexOf('/') + 1)
  return root.lendFolder(folderOf(path), (folder) =>
    exactName(readlinkSync(systemName(`${folder}/${name}`), 'latin1')),
  )
}

/** Compares two files; yields between pieces, so that the caller can pause. */
export function* haveSameBytes(openOne: () => OpenFile, openOther: () => OpenFile): Generator<null, boolean> {
  const one = openOne()
  try {
    const other = openOther()
    try {
      const length = Math.min(PIECE_BYTES, one.stat.size + 1)
      const [first, second] = [Buffer.allocUnsafe(length), Buffer.allocUnsafe(length)]
      for (let at = 0; ; yield null) {
        const count = one.read(first, 0, length, at)
        if (other.read(second, 0, length, at) !== count) return false
        if (Buffer.compare(first.subarray(0, count), second.subarray(0, count)) !== 0) return false
        if (count === 0) return true
        at += count
      }
    } finally {
      other.close()
    }
  } finally {
    one.close()
  }
}
