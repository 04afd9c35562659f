import { Buffer } from 'node:buffer'
import { failure, ToolFailure } from '../../../core/error.ts'
import { createWithAttributes } from '../../../host/fs/attributes.ts'
import { givable } from '../../../host/fs/owner.ts'
import { createLink, setLinkOwner } from '../../../host/root/move-name.ts'
import { exactName } from '../../../host/root/exact-name.ts'
import { folderOf } from '../../../host/root/rel-path.ts'
import type { NewFile, Root } from '../../../host/root/root.ts'
import type { FileState } from '../../../journal/entries/entry.ts'
import type { Attributes } from '../../../host/fs/pax.ts'
import { modeWithoutList, parseAttributes } from '../attribute-cache.ts'
import type { InspectOptions, Target } from '../change-status.ts'

/**
 * Writes new content from the journal near its final path, with owner and mode. What belonged to another user belongs to
 * this one then, unless this one is root.
 */
export function stage(target: Target, recorded: FileState, contentOf: InspectOptions['contentOf']): void {
  const { change, root, staged } = target
  const after: FileState = { ...recorded, ...givable(recorded) }
  const { digest, uid, gid } = after
  const content = contentOf(digest)
  if (content === null)
    throw failure('execution_failed', `The journal no longer holds the content of ${change.path}.`)
  if (after.kind === 'link') return stageLink(target, after, content)
  const payload = after.attributes === undefined ? null : contentOf(after.attributes)
  const attributes = payload === null ? null : parseAttributes(payload)
  if (attributes !== null && stageAttributed(target, after, { content, attributes })) return
  const mode = after.attributes === undefined ? after.mode : modeWithoutList(after.mode, attributes)
  const file = createStaged(root, staged)
  try {
    file.write(content)
    const made = file.stat()
    const isOthers = made.uid !== uid || made.gid !== gid
    if (isOthers) file.setOwner(uid, gid)
    // Changing the owner clears some bits of the mode.
    if (isOthers || made.mode !== mode) file.setMode(mode)
  } finally {
    file.close()
  }
}

function stageLink({ root, staged }: Target, { uid, gid }: FileState, target: Uint8Array): void {
  if (root.stat(staged) !== null) root.unlink(staged)
  createLink({ root, rel: staged }, exactName(Buffer.from(target).toString('latin1')))
  const made = root.stat(staged)
  if (made !== null && (made.uid !== uid || made.gid !== gid)) setLinkOwner({ root, rel: staged }, uid, gid)
}

/** Writes new content with its extended attributes; false if that fails, so that it is written without them. */
function stageAttributed(
  { root, staged }: Target,
  { mode, uid, gid }: FileState,
  { content, attributes }: { readonly content: Uint8Array; readonly attributes: Attributes },
): boolean {
  const name = staged.slice(staged.lastIndexOf('/') + 1)
  const file = { name, content, mode, uid, gid, attributes }
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
