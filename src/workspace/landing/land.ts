import { failure, ToolFailure } from '../../core/error.ts'
import { createWithAttributes } from '../../host/fs/attributes.ts'
import type { NewFile, Root } from '../../host/root/root.ts'
import { folderOf, joinRel } from '../../host/root/rel-path.ts'
import type { FileChange, FileState } from '../../journal/entries/entry.ts'
import { parseAttributes } from './attribute-cache.ts'
import type { AttributeCache } from './attribute-cache.ts'
import { inspect, recheck } from './change-status.ts'
import type { InspectOptions, Target } from './change-status.ts'

/** What landing needs. */
export interface LandingOptions extends InspectOptions {
  readonly execution: string
  readonly attributeCache: AttributeCache
}

/** How landing went: everything is in place, or why not. */
export type Landing =
  | { readonly is: 'landed' }
  /** Files that are neither as before nor as after; nothing further was touched. */
  | { readonly is: 'drifted'; readonly files: readonly string[] }
  | {
      readonly is: 'failed'
      readonly file: string
      readonly why: string
      /** Whether waiting is of no use: a name refused its new content, or the error is not one that passes, as a full disk is. */
      readonly isLasting: boolean
    }

/**
 * Puts committed changes in place. May be repeated: what is already in place stays. All new contents are written before
 * the first of them gets its name, so that a full disk is noticed while everything is as before.
 */
export function land(changes: readonly FileChange[], options: LandingOptions): Landing {
  const landing = tryToLand(changes, options)
  // Retried once at once: a passing failure must not leave one file changed and the next one not.
  return landing.is === 'failed' ? tryToLand(changes, { ...options, known: null }) : landing
}

function tryToLand(changes: readonly FileChange[], options: LandingOptions): Landing {
  let at = ''
  try {
    const targets = changes.map((change, index): Target => {
      at = change.path
      const staged = joinRel(folderOf(change.path), stagedName(options.execution, index))
      return { change, root: options.rootOf(change.root), staged, ...inspect(change, options) }
    })
    const drifted = targets.filter(({ status }) => status === 'drifted')
    const landing = drifted.length > 0 ? drift(drifted) : settle(targets, options)
    const isRepeated = targets.some(({ status }) => status !== 'before')
    if (landing.is !== 'landed' || isRepeated) sweep(targets)
    return landing
  } catch (thrown) {
    return failed(at, thrown)
  }
}

function failed(file: string, thrown: unknown, isPlacing = false): Landing {
  if (!(thrown instanceof ToolFailure)) throw thrown
  const { code, message, details } = thrown.error
  const isLasting = isPlacing || (code !== 'resource_exhausted' && !PASSING_ERRNOS.has(details['errno']))
  return { is: 'failed', file, why: message, isLasting }
}

/** Errors besides exhaustion that may be over the next time. */
const PASSING_ERRNOS = new Set<unknown>(['EINTR', 'EAGAIN', 'ETIMEDOUT', 'ESTALE', 'ETXTBSY'])

/** The name of new content until it is in place, by which leftovers are recognised. */
function stagedName(execution: string, index: number): string {
  return `.tongs-${execution}-${index}`
}

function drift(targets: readonly Target[]): Landing {
  return { is: 'drifted', files: targets.map(({ change }) => change.path) }
}

function settle(targets: readonly Target[], options: LandingOptions): Landing {
  const pending = targets.filter(({ status }) => status === 'before')
  let at = ''
  let isPlacing = false
  try {
    for (const [root, folder] of needed(pending)) {
      at = folder
      if (root.stat(folder) === null) root.mkdir(folder, 0o777)
    }
    for (const target of pending) {
      at = target.change.path
      stage(target, options)
    }
    const drifted = pending.filter((target) => {
      at = target.change.path
      return recheck(target, options) === 'drifted'
    })
    if (drifted.length > 0) return drift(drifted)
    for (const target of pending) {
      at = target.change.path
      const status = recheck(target, options)
      if (status === 'drifted') return drift([target])
      isPlacing = true
      if (status === 'before') putInPlace(target, options)
      isPlacing = false
    }
    for (const [root, folder] of emptied(targets)) {
      at = folder
      removeIfEmpty(root, folder)
    }
  } catch (thrown) {
    return failed(at, thrown, isPlacing)
  }
  return { is: 'landed' }
}

/** Writes new content next to its final path, with owner and mode. */
function stage(target: Target, { contentOf }: LandingOptions): void {
  const { change, root, staged } = target
  if (change.after === null) return
  const { digest, mode, uid, gid } = change.after
  const content = contentOf(digest)
  if (content === null)
    throw failure('execution_failed', `The journal no longer holds the content of ${change.path}.`)
  const attributes = change.after.attributes === undefined ? null : contentOf(change.after.attributes)
  if (attributes !== null && stageAttributed(target, change.after, { content, attributes })) return
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

/** Writes new content with its extended attributes; false if that fails, so that it is written without them. */
function stageAttributed(
  { root, staged }: Target,
  { mode, uid, gid }: FileState,
  { content, attributes }: { readonly content: Uint8Array; readonly attributes: Uint8Array },
): boolean {
  const name = staged.slice(staged.lastIndexOf('/') + 1)
  const file = { name, content, mode, uid, gid, attributes: parseAttributes(attributes) }
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

function putInPlace({ change, root, staged }: Target, { attributeCache, contentOf }: LandingOptions): void {
  if (change.after === null) return root.unlink(change.path)
  root.placeFile(staged, change.path)
  const { attributes } = change.after
  attributeCache.record(root, change.path, attributes === undefined ? null : contentOf(attributes))
}

/** Folders that new files need, outermost first; one file may name a folder for all files in it. */
function needed(targets: readonly Target[]): readonly (readonly [Root, string])[] {
  return targets
    .filter(({ change }) => change.after !== null)
    .flatMap(({ change, root }) => change.folders.map((folder) => [root, folder] as const))
    .toSorted(([, one], [, other]) => one.length - other.length)
}

/** Folders that were created for files that are now removed, innermost first. */
function emptied(targets: readonly Target[]): readonly (readonly [Root, string])[] {
  const removed = targets.filter(({ change }) => change.after === null)
  return removed
    .flatMap(({ change, root }) => change.folders.map((folder) => [root, folder] as const))
    .toSorted(([, one], [, other]) => other.split('/').length - one.split('/').length)
}

/**
 * Removes an empty folder; leaves one that is not empty, and ignores one that is gone. One that the system will not
 * remove is left too: no file is in it, and giving up for its sake would leave the files of the change half in place.
 */
function removeIfEmpty(root: Root, folder: string): void {
  try {
    root.rmdir(folder)
  } catch (thrown) {
    const errno = thrown instanceof ToolFailure ? thrown.error.details['errno'] : undefined
    if (!LEFT_ERRNOS.has(errno)) throw thrown
  }
}

const LEFT_ERRNOS = new Set<unknown>([
  'ENOTEMPTY',
  'EEXIST',
  'ENOENT',
  'ENOTDIR',
  'EBUSY',
  'EPERM',
  'EACCES',
  'EROFS',
])

/** Removes content that did not get its final name, and the folders that were created for it. */
function sweep(targets: readonly Target[]): void {
  for (const { change, root, staged } of targets) {
    if (change.after === null) continue
    attempt(() => root.stat(staged) !== null && root.unlink(staged))
    for (const folder of change.folders.toReversed()) attempt(() => removeIfEmpty(root, folder))
  }
}

/** A failure to clean up must not hide its cause. */
function attempt(run: () => unknown): void {
  try {
    run()
  } catch (thrown) {
    if (!(thrown instanceof ToolFailure)) throw thrown
  }
}
