import { basename, dirname, join } from 'node:path'
import { createPrivateFile, makePrivateFolder, sizeOf } from '../../host/fs/private-files.ts'
import { hashFile } from '../../host/root/hash-file.ts'
import type { OpenFile } from '../../host/root/root.ts'
import type { Digest } from '../../journal/entries/content.ts'

/** Seals a text with the key of the state folder. */
export type SealText = (text: string) => string

/** No path of a stored file can have it. */
const MARK = '~'

/**
 * Notes what a stored output holds, in the name of an empty file beside it, which is a seal. An output may have several,
 * as two processes may store it; so this is done before it gets its own name.
 */
export function sealOutput(path: string, content: Digest, seal: SealText): void {
  makePrivateFolder(dirname(path))
  createPrivateFile(sealPath(path, content, seal))
}

/** Whether a file is such a note. */
export function isOutputSeal(path: string): boolean {
  return basename(path).includes(MARK)
}

/** Whether an output is what Tongs stored under this name. */
export function isSealed(file: OpenFile, path: string, seal: SealText): boolean {
  return sizeOf(sealPath(path, hashFile(file), seal)) !== null
}

/** Whether a backup has one of the digests that the log has for it. */
export function isRecorded(file: OpenFile, recorded: ReadonlySet<Digest>): boolean {
  return recorded.has(hashFile(file))
}

function sealPath(path: string, content: Digest, seal: SealText): string {
  const name = basename(path)
  return join(dirname(path), `${name}${MARK}${seal(JSON.stringify(['output', name, content]))}`)
}
