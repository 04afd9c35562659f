import { Buffer } from 'node:buffer'
import { failure } from '../../core/error.ts'
import { readFolderAttributes } from '../fs/attributes.ts'
import { exactName, latin1Name } from '../root/exact-name.ts'
import type { Root } from '../root/root.ts'

/** What overlayfs notes about a folder of the upper layer. */
export interface FolderMark {
  /** Nothing of the folder below shows through. */
  readonly isOpaque: boolean
  /** The folder below that shows through instead of the one of the same name: absolute from the root, or a sibling. */
  readonly redirect: string | null
  /** It holds files that were copied or moved there from below, which carry marks of their own. */
  readonly isImpure: boolean
}

const NO_MARK: FolderMark = { isOpaque: false, redirect: null, isImpure: false }
/** Names of either kind never land. */
export const OVERLAY_PREFIXES = ['trusted.overlay.', 'user.overlay.'] as const

/** What a layer keeps its marks under: mounted by root, or in a user namespace. A command can set the other kind itself. */
export function markPrefix(): (typeof OVERLAY_PREFIXES)[number] {
  return process.geteuid?.() === 0 ? 'trusted.overlay.' : 'user.overlay.'
}

/** How many folders one process reads. */
const AT_ONCE = 2_000

/** Reads the marks of several folders of an upper layer. */
export async function readFolderMarks(
  upper: Root,
  folders: readonly string[],
  pause?: () => Promise<void> | undefined,
): Promise<ReadonlyMap<string, FolderMark>> {
  const marks = new Map<string, FolderMark>()
  for (let at = 0; at < folders.length; at += AT_ONCE) {
    const some = folders.slice(at, at + AT_ONCE)
    const found = upper.lendFolder('', (path) => readFolderAttributes(path, some.map(nameFor)))
    if (found === null)
      throw failure(
        'execution_failed',
        'Cannot read how the layer of a command hides folders: tar did not list them.',
        {},
        ['Check that GNU tar is installed, and that no path of the command is too long for it.'],
      )
    for (const [index, folder] of some.entries())
      marks.set(folder, markOf(found[index] ?? new Map<string, Uint8Array>()))
    const waiting = pause?.()
    if (waiting !== undefined) await waiting
  }
  return marks
}

/** What the extended attributes of a folder say. */
export function markOf(attributes: ReadonlyMap<string, Uint8Array>): FolderMark {
  const valueOf = (name: string): string | null => {
    const value = attributes.get(markPrefix() + name)
    return value === undefined ? null : Buffer.from(value).toString('latin1')
  }
  const isOpaque = valueOf('opaque') === 'y'
  const redirect = valueOf('redirect')
  const isImpure = valueOf('impure') === 'y'
  return isOpaque || isImpure || redirect !== null
    ? { isOpaque, redirect: redirect === null ? null : exactName(redirect), isImpure }
    : NO_MARK
}

/** The name of a file or folder for tar; a relative one cannot be taken for an option. */
export function nameFor(folder: string): Buffer {
  return Buffer.from(`./${latin1Name(folder)}`, 'latin1')
}
