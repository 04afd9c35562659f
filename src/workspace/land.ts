import { ToolFailure } from '../core/error.ts'
import type { NewFile, Root } from '../host/root/root.ts'
import { folderOf, joinRel } from '../host/root/rel-path.ts'
import type { Digest, FileChange } from '../journal/entry.ts'
import { readState } from './file-state.ts'

/** What landing needs. */
export interface LandingOptions {
  /** An open root by its path. */
  readonly rootOf: (path: string) => Root
  readonly contentOf: (digest: Digest) => Uint8Array | null
  readonly execution: string
  /** Called before each step; tests stop here. */
  readonly step?: (name: string) => void
}

/** How landing went: everything is in place, or why not. */
export type Landing =
  | { readonly is: 'landed' }
  /** Files that are neither as before nor as after; nothing further was touched. */
  | { readonly is: 'drifted'; readonly files: readonly string[] }
  | { readonly is: 'failed'; readonly file: string; readonly why: string }

/** Puts committed changes in place. It may be repeated: what is in place already stays. */
export function land(changes: readonly FileChange[], options: LandingOptions): Landing {
  const pending: FileChange[] = []
  const drifted: string[] = []
  for (const change of changes) {
    const standing = judge(change, options)
    if (standing === 'drifted') drifted.push(change.path)
    else if (standing === 'before') pending.push(change)
  }
  if (drifted.length > 0) return { is: 'drifted', files: drifted }
  for (const [index, change] of pending.entries()) {
    try {
      landOne(change, index, options)
    } catch (thrown) {
      if (!(thrown instanceof ToolFailure)) throw thrown
      return { is: 'failed', file: change.path, why: thrown.error.message }
    }
  }
  return { is: 'landed' }
}

/** The paths that are not as `before` says. */
export function findDrift(
  changes: readonly FileChange[],
  rootOf: LandingOptions['rootOf'],
): readonly string[] {
  return changes
    .filter((change) => contentNow(change, rootOf) !== (change.before?.digest ?? null))
    .map(({ path }) => path)
}

/** The digest of what is in a changed file's place: null where nothing is, undefined where it is no regular file. */
function contentNow(change: FileChange, rootOf: LandingOptions['rootOf']): Digest | null | undefined {
  try {
    return readState(rootOf(change.root), change.path, Infinity)?.digest ?? null
  } catch (thrown) {
    if (thrown instanceof ToolFailure) return undefined
    throw thrown
  }
}

/** Whether a file is as before the change, as after it, or neither. */
function judge(change: FileChange, options: LandingOptions): 'before' | 'after' | 'drifted' {
  const found = contentNow(change, options.rootOf)
  if (found === (change.after?.digest ?? null)) return 'after'
  if (found === (change.before?.digest ?? null)) return 'before'
  return 'drifted'
}

function landOne(change: FileChange, index: number, options: LandingOptions): void {
  const root = options.rootOf(change.root)
  const step = options.step ?? (() => undefined)
  if (change.after === null) {
    step('unlink')
    root.unlink(change.path)
    for (const folder of change.folders.toReversed()) {
      step('rmdir')
      removeIfEmpty(root, folder)
    }
    return
  }
  for (const folder of change.folders) {
    if (root.stat(folder) !== null) continue
    step('mkdir')
    root.mkdir(folder, 0o777)
  }
  const staged = joinRel(folderOf(change.path), stagedName(options.execution, index))
  if (root.stat(staged) !== null) root.unlink(staged)
  const { digest, mode, uid, gid } = change.after
  const content = options.contentOf(digest)
  if (content === null) throw new Error(`the content of ${change.path} is gone from the journal`)
  step('create')
  const file = root.createExclusive(staged, 0o600)
  try {
    fill(file, content, mode, uid, gid, step)
  } catch (thrown) {
    file.close()
    root.unlink(staged)
    throw thrown
  }
  step('rename')
  root.rename(staged, change.path)
}

function fill(
  file: NewFile,
  content: Uint8Array,
  mode: number,
  uid: number,
  gid: number,
  step: (name: string) => void,
): void {
  step('write')
  file.write(content)
  const made = file.stat()
  if (made.uid !== uid || made.gid !== gid) file.setOwner(uid, gid)
  file.setMode(mode)
  file.close()
}

/** The name a file has for the blink of an eye; a leftover can be told by it. */
export function stagedName(execution: string, index: number): string {
  return `.tongs-${execution}-${index}`
}

function removeIfEmpty(root: Root, folder: string): void {
  try {
    root.rmdir(folder)
  } catch (thrown) {
    if (!(thrown instanceof ToolFailure)) throw thrown
  }
}
