import { Buffer } from 'node:buffer'
import { failure, ToolFailure } from '../../../core/error.ts'
import { createWithAttributes } from '../../../host/fs/attributes.ts'
import { givable, ownerAfter, ownerBelow } from '../../../host/fs/owner.ts'
import { createLink, setLinkOwner } from '../../../host/root/move-name.ts'
import { exactName } from '../../../host/root/exact-name.ts'
import { folderOf } from '../../../host/root/rel-path.ts'
import type { NewFile, Root } from '../../../host/root/root.ts'
import type { FileState } from '../../../journal/entries/entry.ts'
import type { Attributes } from '../../../host/fs/pax.ts'
import { parseAttributes } from '../attribute-cache.ts'
import { attributesBelow, modeWithoutList } from '../../../host/root/access-list.ts'
import type { DefaultLists } from './default-lists.ts'
import type { InspectOptions, Target } from '../change-status.ts'

/** What staging needs. */
export interface StageOptions extends Pick<InspectOptions, 'contentOf'> {
  readonly defaultsOf: DefaultLists
}

/**
 * Writes new content from the journal near its final path, with owner and mode. What belonged to another user belongs to
 * this one then, unless this one is root.
 */
export function stage(target: Target, wanted: FileState, { contentOf, defaultsOf }: StageOptions): void {
  const { change, root, staged } = target
  const content = contentOf(wanted.digest)
  if (content === null)
    throw failure('execution_failed', `The journal no longer holds the content of ${change.path}.`)
  if (wanted.kind === 'link') return stageLink(target, wanted, content)
  const payload = wanted.attributes === undefined ? null : contentOf(wanted.attributes)
  const attributes = payload === null ? null : parseAttributes(payload)
  const isLost = wanted.attributes !== undefined && attributes === null
  const state = isLost ? { ...wanted, mode: modeWithoutList(wanted.mode, null) } : wanted
  const defaults = defaultsOf(root, folderOf(staged))
  const toSet = defaults === null ? attributes : attributesBelow(defaults, attributes ?? new Map(), state)
  if (toSet !== null && stageAttributed(target, state, { content, attributes: toSet })) return
  const file = createStaged(root, staged)
  try {
    file.write(content)
    const made = file.stat()
    const { uid, gid, mode: whole } = givable(state, made)
    const mode = toSet === null ? whole : modeWithoutList(whole, toSet)
    const isOthers = made.uid !== uid || made.gid !== gid
    if (isOthers) file.setOwner(uid, gid)
    // Changing the owner clears some bits of the mode.
    if (isOthers || made.mode !== mode) file.setMode(mode)
  } finally {
    file.close()
  }
}

function stageLink({ root, staged }: Target, state: FileState, target: Uint8Array): void {
  if (root.stat(staged) !== null) root.unlink(staged)
  createLink({ root, rel: staged }, exactName(Buffer.from(target).toString('latin1')))
  const made = root.stat(staged)
  if (made === null) return
  const { uid, gid } = ownerAfter(state, made)
  if (made.uid !== uid || made.gid !== gid) setLinkOwner({ root, rel: staged }, uid, gid)
}

/** Writes new content with its extended attributes; false if that fails, so that it is written without them. */
function stageAttributed(
  { root, staged }: Target,
  state: FileState,
  { content, attributes }: { readonly content: Uint8Array; readonly attributes: Attributes },
): boolean {
  const name = staged.slice(staged.lastIndexOf('/') + 1)
  const owned = givable(state, ownerBelow(root.stat(folderOf(staged))))
  const file = { name, content, ...owned, attributes }
  const isMade = root.lendFolder(folderOf(staged), (path) => createWithAttributes(path, file))
  if (isMade && root.stat(staged)?.size === content.length) return true
  if (root.stat(staged) !== null) root.unlink(staged)
  return false
}

/** Creates a file that only its owner can read; a leftover of an earlier attempt is removed. */
function createStaged(root: Root, staged: string): NewFile {
  try {
    return root.createExclusive(staged, 0o600)
  } catch (thrown) {
    if (!(thrown instanceof ToolFailure) || thrown.error.details['errno'] !== 'EEXIST') throw thrown
    root.unlink(staged)
    return root.createExclusive(staged, 0o600)
  }
}
