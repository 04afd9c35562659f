import type { Buffer } from 'node:buffer'
import { chmodSync, closeSync, constants, fstatSync, openSync } from 'node:fs'
import { ToolFailure } from '../../core/error.ts'
import { O_PATH } from '../system/open-flags.ts'
import { systemName } from './exact-name.ts'
import { ioFailure } from './io-failure.ts'
import { setFolderMode } from './move-name.ts'
import type { Spot } from './move-name.ts'
import { takeFile } from './open-file.ts'
import { folderOf, partsOf, plainName } from './rel-path.ts'
import type { OpenFile, Root } from './root.ts'

const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK, O_NOCTTY } = constants
const OWNER_READS = 0o400
/** The rights that it takes to look into a folder, and to change the names in it. */
const OWNER_MAY = { look: 0o500, change: 0o700 }

/** Opens a file for reading, also one that its owner may not read but owns; it has its mode again before this returns. */
export function openOwn(root: Root, rel: string): OpenFile {
  try {
    return root.openFile(rel)
  } catch (thrown) {
    const fd = isDenied(thrown) ? root.lendFolder(folderOf(rel), (folder) => reopen(folder, rel)) : null
    if (fd === null) throw thrown
    return takeFile(fd, rel)
  }
}

function reopen(folder: string, rel: string): number | null {
  try {
    return openOwnDescriptor(systemName(`${folder}/${plainName(rel)}`))
  } catch (error) {
    throw ioFailure(error, 'read', rel)
  }
}

/**
 * Opens a file for reading that its owner, who runs this, may not read; it has its mode again before this returns. No other
 * file gets another mode if the name is given to it meanwhile. Null if it belongs to somebody else or is not a file.
 */
function openOwnDescriptor(path: string | Buffer): number | null {
  const named = openSync(path, O_PATH | O_NOFOLLOW)
  try {
    const stats = fstatSync(named)
    if (!stats.isFile() || stats.uid !== process.geteuid?.()) return null
    const itself = `/proc/self/fd/${named}`
    const mode = stats.mode & 0o7777
    chmodSync(itself, mode | OWNER_READS)
    try {
      return openSync(itself, O_RDONLY | O_NONBLOCK | O_NOCTTY)
    } finally {
      chmodSync(itself, mode)
    }
  } finally {
    closeSync(named)
  }
}

/** Does something at a path; if folders above it are closed to their owner, they are opened for that time. */
export function reachOwn<T>({ root, rel }: Spot, use: () => T, to: keyof typeof OWNER_MAY = 'look'): T {
  try {
    return use()
  } catch (thrown) {
    if (!isDenied(thrown)) throw thrown
    const opened: OpenedFolder[] = []
    try {
      openAbove(root, rel, opened, OWNER_MAY[to])
      if (opened.length === 0) throw thrown
      return use()
    } finally {
      closeAgain(root, opened.toReversed())
    }
  }
}

/** A folder that was opened to its owner, and the mode it had. */
interface OpenedFolder {
  readonly folder: string
  readonly mode: number
}

/** Gives folders their modes back; one that cannot get it does not keep the others open. */
function closeAgain(root: Root, [first, ...others]: readonly OpenedFolder[]): void {
  if (first === undefined) return
  try {
    setFolderMode({ root, rel: first.folder }, first.mode)
  } finally {
    closeAgain(root, others)
  }
}

/** Gives their owner rights in the folders above a path; adds those to `opened` that lacked some. */
function openAbove(root: Root, rel: string, opened: OpenedFolder[], rights: number): void {
  const parts = partsOf(folderOf(rel))
  for (const length of parts.keys()) {
    const folder = parts.slice(0, length + 1).join('/')
    const stat = root.stat(folder)
    if (stat?.kind !== 'dir') break
    if ((stat.mode & rights) === rights || stat.uid !== process.geteuid?.()) continue
    setFolderMode({ root, rel: folder }, stat.mode | rights)
    opened.push({ folder, mode: stat.mode })
  }
}

function isDenied(thrown: unknown): boolean {
  return thrown instanceof ToolFailure && thrown.error.details['errno'] === 'EACCES'
}
