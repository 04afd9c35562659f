import { Buffer } from 'node:buffer'
import { failure } from '../../core/error.ts'
import { readFolderAttributes } from '../fs/attributes.ts'
import type { Attributes } from '../fs/pax.ts'
import { exactName, latin1Name } from '../root/exact-name.ts'
import type { Root } from '../root/root.ts'
import { isRootOfSystem } from '../system/process.ts'

/** What overlayfs notes about a folder of the upper layer. */
export interface FolderMark {
  /** Nothing of the folder below shows through. */
  readonly isOpaque: boolean
  /** The folder below that shows through instead of the one of the same name: absolute from the root, or a sibling. */
  readonly redirect: string | null
  /** It holds files that were copied or moved there from below, which carry marks of their own. */
  readonly isImpure: boolean
}

/** What overlayfs notes about a folder, and the extended attributes that it has besides. */
export interface MarkedFolder extends FolderMark {
  readonly attributes: Attributes
}

const NO_MARK: FolderMark = { isOpaque: false, redirect: null, isImpure: false }
/** Names of either kind never land. */
export const OVERLAY_PREFIXES = ['trusted.overlay.', 'user.overlay.'] as const

/** What a layer keeps its marks under: mounted by root, or in a user namespace. A command can set the other kind itself. */
export function markPrefix(): (typeof OVERLAY_PREFIXES)[number] {
  return isRootOfSystem() ? 'trusted.overlay.' : 'user.overlay.'
}

/** How many folders one process reads. */
const AT_ONCE = 2_000

/** Reads the marks of several folders of an upper layer. */
export async function readFolderMarks(
  upper: Root,
  folders: readonly string[],
  pause?: () => Promise<void> | undefined,
): Promise<ReadonlyMap<string, MarkedFolder>> {
  const marks = new Map<string, MarkedFolder>()
  for (let at = 0; at < folders.length; at += AT_ONCE) {
    const some = folders.slice(at, at + AT_ONCE)
    const found = readAttributesIn(upper, some)
    if (found === null)
      throw failure(
        'execution_failed',
        'Cannot read how the layer of a command hides folders: tar did not list them.',
        {},
        ['Check that GNU tar is installed, and that no path of the command is too long for it.'],
      )
    for (const [index, folder] of some.entries()) {
      const attributes = found[index] ?? new Map<string, Uint8Array>()
      marks.set(folder, { ...markOf(attributes), attributes: withoutMarks(attributes) })
    }
    const waiting = pause?.()
    if (waiting !== undefined) await waiting
  }
  return marks
}

/** Longer paths are read from a folder on the way, as the system takes no path of 4096 bytes or more. */
const LONGEST_BYTES = 3_000

/** The extended attributes of folders below a root, in order; null if they cannot be read. */
export function readAttributesIn(root: Root, folders: readonly string[]): readonly Attributes[] | null {
  const found = new Map<string, Attributes>()
  for (const [base, paths] of Map.groupBy(folders, baseOf)) {
    const names = paths.map((path) => nameFor(base === '' ? path : path.slice(base.length + 1)))
    const read = root.lendFolder(base, (top) => readFolderAttributes(top, names))
    if (read === null) return null
    for (const [at, path] of paths.entries()) found.set(path, read[at] ?? new Map<string, Uint8Array>())
  }
  return folders.map((path) => found.get(path) ?? new Map<string, Uint8Array>())
}

/** The folder from which a path is short enough. */
function baseOf(path: string): string {
  if (latin1Name(path).length <= LONGEST_BYTES) return ''
  let at = path.indexOf('/')
  while (at !== -1 && latin1Name(path.slice(at + 1)).length > LONGEST_BYTES) at = path.indexOf('/', at + 1)
  return at === -1 ? '' : path.slice(0, at)
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

/** Extended attributes without those that an overlay sets. */
export function withoutMarks(attributes: Attributes): Attributes {
  return new Map(
    [...attributes].filter(([name]) => !OVERLAY_PREFIXES.some((prefix) => name.startsWith(prefix))),
  )
}

/** The name of a file or folder for tar; a relative one cannot be taken for an option. */
export function nameFor(folder: string): Buffer {
  return Buffer.from(`./${latin1Name(folder)}`, 'latin1')
}
