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
}

const NO_MARK: FolderMark = { isOpaque: false, redirect: null }
/** A layer mounted by root keeps its marks under the first name, one in a user namespace under the second. */
const PREFIXES = ['trusted.overlay.', 'user.overlay.'] as const

/** Reads the marks of several folders of an upper layer. */
export function readFolderMarks(upper: Root, folders: readonly string[]): ReadonlyMap<string, FolderMark> {
  if (folders.length === 0) return new Map()
  const found = upper.lendFolder('', (path) => readFolderAttributes(path, folders.map(bytesOf)))
  if (found === null)
    throw failure(
      'execution_failed',
      'Cannot read how the layer of a command hides folders: tar did not list them.',
      {},
      ['Install GNU tar, or set tools.shell.layer = "off".'],
    )
  return new Map(folders.map((folder, at) => [folder, markOf(found[at] ?? new Map<string, Uint8Array>())]))
}

function markOf(attributes: ReadonlyMap<string, Uint8Array>): FolderMark {
  const valueOf = (name: string): string | null => {
    for (const prefix of PREFIXES) {
      const value = attributes.get(prefix + name)
      if (value !== undefined) return Buffer.from(value).toString('latin1')
    }
    return null
  }
  const isOpaque = valueOf('opaque') === 'y'
  const redirect = valueOf('redirect')
  return isOpaque || redirect !== null
    ? { isOpaque, redirect: redirect === null ? null : exactName(redirect) }
    : NO_MARK
}

/** A relative name cannot be taken for an option of tar. */
function bytesOf(folder: string): Buffer {
  return Buffer.from(`./${latin1Name(folder)}`, 'latin1')
}
