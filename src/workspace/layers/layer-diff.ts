import { LAYER_DIFF_LIMITS } from '../../config/fixed-values.ts'
import { describeBytes } from '../../core/text/describe-bytes.ts'
import { unifiedDiff } from '../../core/text/unified-diff.ts'
import { readableName } from '../../host/root/exact-name.ts'
import { folderOf, showPath } from '../../host/root/rel-path.ts'
import type { FileStat } from '../../host/root/root.ts'
import { placeOf } from '../landing/place-of.ts'
import type { HashedChange } from './file-changes.ts'
import { sideAfter, sideBefore } from './layer-contents.ts'
import type { Side } from './layer-contents.ts'
import { targetOf } from './layer-files.ts'
import type { Pause } from './layer-files.ts'
import type { GitStore } from './stored-by-git.ts'

/** How the diff is made. */
export interface DiffOptions {
  readonly maxFileBytes: number
  readonly displayOf: (change: HashedChange) => string
  /** Which removal each new name was moved from. */
  readonly moved: ReadonlyMap<HashedChange, HashedChange>
  readonly stored: ReadonlyMap<HashedChange, GitStore>
  readonly pause: Pause
}

const utf8 = new TextDecoder('utf-8', { ignoreBOM: true })

/** A diff, and which of its lines begin a hunk of which change; null if it does not show all changes. */
export interface LayerDiff {
  readonly text: string
  readonly hunks: readonly ShownHunks[] | null
}

/** The hunks of one change, or the only one of everything in a folder of git. */
export interface ShownHunks {
  /** With the removals that are shown with them, as they are moves. */
  readonly changes: readonly HashedChange[]
  /** The lines of the diff at which they begin, counted from 0. */
  readonly lines: readonly number[]
  /** Whether they are pieces of a text of which some can be taken. */
  readonly isText: boolean
}

/**
 * Shows changes as a unified diff of bounded size; what is not a text has a line of its own. A text for which there is no
 * room is named, and so are those after it: one large file must not hide the others.
 */
export async function diffLayer(all: readonly HashedChange[], options: DiffOptions): Promise<LayerDiff> {
  const { moved, stored } = options
  const left = new Set(moved.values())
  const changes = left.size === 0 ? all : all.filter((change) => !left.has(change))
  const removed = changes.filter(({ after }) => after === null)
  const removedFiles = removed.filter(({ before }) => before?.kind !== 'dir')
  const isSummarised = removedFiles.length > LAYER_DIFF_LIMITS.removedFiles
  const listed = isSummarised ? changes.filter(({ after }) => after !== null) : changes
  const groups = Map.groupBy(listed, (change) => stored.get(change) ?? change)
  const shown = [...groups.values()].flat()
  const follows = findFollowers(all)
  const hunks: ShownHunks[] = []
  let text = isSummarised ? summarise(removedFiles, options) : ''
  let line = 0
  let named = 0
  let misses = 0
  for (const [index, change] of shown.entries()) {
    const waiting = options.pause()
    if (waiting !== undefined) await waiting
    const room = LAYER_DIFF_LIMITS.chars - text.length
    const isTried = misses < MOST_MISSES && contentBytes(change) <= room * MOST_BYTES_A_CHAR
    const whole = isTried ? showChange(change, options, showContent) : null
    const isNamed = whole === null || whole.length > room
    if (isTried && isNamed) misses++
    const piece = isNamed ? showChange(change, options, nameContent) : whole
    if (isNamed && piece.length > room + LAYER_DIFF_LIMITS.namesChars)
      return {
        text: `${text}The diff is cut here: ${shown.length - index} more changes are not shown.\n`,
        hunks: null,
      }
    if (isNamed) named++
    const git = stored.get(change)
    const group = groups.get(git ?? change) ?? []
    const isFirst = group[0] === change
    const rows = `${isFirst ? headingOf(git) : ''}${piece}`.split('\n')
    text += rows.join('\n')
    if (isFirst && (git !== undefined || !follows.has(change)))
      hunks.push({ ...hunksIn(change, rows, line, git), changes: withSources(group, moved) })
    line += rows.length - 1
  }
  if (named > 0) text += `The diff would be too long: ${named} of ${shown.length} changes are only named.\n`
  return { text, hunks: isSummarised || named > 0 ? null : hunks }
}

/** How many contents are compared in vain, for want of room, before the rest is only named. */
const MOST_MISSES = 100
/** A character of a text has at most so many bytes. */
const MOST_BYTES_A_CHAR = 4

/** How much there is to show of what is new in a change. */
function contentBytes({ before, after }: HashedChange): number {
  if (before !== null && after !== null) return 0
  const only = after ?? before
  return only?.kind === 'file' ? only.size : 0
}

/** Folders that come or go with what is in them: these have no hunk of their own. */
function findFollowers(changes: readonly HashedChange[]): ReadonlySet<HashedChange> {
  const filled = new Set<string>()
  for (const { part, path } of changes)
    for (let folder = folderOf(path); folder !== ''; folder = folderOf(folder)) {
      const place = placeOf(part.lower.path, folder)
      if (filled.has(place)) break
      filled.add(place)
    }
  return new Set(
    changes.filter(
      ({ part, path, before, after }) =>
        (before === null || after === null) &&
        (before ?? after)?.kind === 'dir' &&
        filled.has(placeOf(part.lower.path, path)),
    ),
  )
}

/** Finds the hunks in what is shown of a change. Lines of a text have a mark before them, so none can pass for a header. */
function hunksIn(
  { before, after }: HashedChange,
  rows: readonly string[],
  first: number,
  git: GitStore | undefined,
): Omit<ShownHunks, 'changes'> {
  if (git !== undefined) return { lines: [first], isText: false }
  const headers = rows.flatMap((row, index) => (row.startsWith('@@ ') ? [first + index] : []))
  const isText = headers.length > 0 && before?.kind === 'file' && after?.kind === 'file'
  return { lines: headers.length === 0 ? [first] : headers, isText }
}

function headingOf(git: GitStore | undefined): string {
  return git === undefined ? '' : `Stored by git in ${showPath(git.display)}:\n`
}

function withSources(changes: readonly HashedChange[], moved: DiffOptions['moved']): readonly HashedChange[] {
  return changes.flatMap((change) => {
    const from = moved.get(change)
    return from === undefined ? [change] : [from, change]
  })
}

function summarise(removed: readonly HashedChange[], { displayOf }: DiffOptions): string {
  const folders = new Map<string, number>()
  for (const change of removed) {
    const display = displayOf(change)
    const slash = display.indexOf('/', 1)
    const folder = slash === -1 ? '.' : display.slice(0, slash)
    folders.set(folder, (folders.get(folder) ?? 0) + 1)
  }
  return [...folders]
    .map(([folder, files]) => `Removed: ${files} ${files === 1 ? 'file' : 'files'} in ${showPath(folder)}\n`)
    .join('')
}

type ShowContent = (change: HashedChange, path: string, options: DiffOptions) => string

function showChange(change: HashedChange, options: DiffOptions, contentOf: ShowContent): string {
  const { before, after } = change
  const path = showPath(options.displayOf(change))
  const from = options.moved.get(change)
  if (from !== undefined) {
    const moved = `Moved: ${showPath(options.displayOf(from))} → ${path}`
    const lines = [moved, ...showMode(from.before, after, path), ...showAttributes(change, path)]
    return lines.map((line) => `${line}\n`).join('')
  }
  const lines: string[] = []
  if (before?.kind === 'dir' && after?.kind !== 'dir') lines.push(`Folder removed: ${path}`)
  if (after?.kind === 'dir' && before?.kind !== 'dir') lines.push(`Folder created: ${path}`)
  lines.push(...showLink(change, path), ...showMode(before, after, path), ...showAttributes(change, path))
  return lines.map((line) => `${line}\n`).join('') + contentOf(change, path, options)
}

function showAttributes({ newAttributes = [] }: HashedChange, path: string): readonly string[] {
  return newAttributes.length === 0 ? [] : [`Attributes of ${path}: ${newAttributes.join(', ')}`]
}

function showLink({ part, path: name, before, after }: HashedChange, path: string): readonly string[] {
  const from = before?.kind === 'symlink' ? targetOf(part, { layer: 'lower', path: name }) : null
  const to = after?.kind === 'symlink' ? targetOf(part, after.source) : null
  const [was, is] = [from, to].map((target) => (target === null ? '' : showPath(readableName(target))))
  if (from === null) return to === null ? [] : [`Link created: ${path} → ${is}`]
  return [to === null ? `Link removed: ${path} → ${was}` : `Link changed: ${path} → ${is} (was ${was})`]
}

function showMode(before: FileStat | null, after: FileStat | null, path: string): readonly string[] {
  if (after === null || after.kind === 'symlink') return []
  const lines: string[] = []
  if (before?.kind !== after.kind) {
    const isProgram = after.kind === 'file' && (after.mode & 0o111) !== 0
    const isOpenToAll = (after.mode & 0o002) !== 0
    return isProgram || isOpenToAll ? [`Mode of ${path}: ${octal(after.mode)}`] : []
  }
  if (before.mode !== after.mode) lines.push(`Mode of ${path}: ${octal(before.mode)} → ${octal(after.mode)}`)
  if (before.uid !== after.uid || before.gid !== after.gid)
    lines.push(`Owner of ${path}: ${before.uid}:${before.gid} → ${after.uid}:${after.gid}`)
  return lines
}

function octal(mode: number): string {
  return mode.toString(8).padStart(3, '0')
}

function showContent(change: HashedChange, path: string, { maxFileBytes }: DiffOptions): string {
  const { before, after, beforeDigest, afterDigest } = change
  if (before?.kind === after?.kind && beforeDigest === afterDigest) return ''
  const [from, to] = [sideBefore(change, maxFileBytes), sideAfter(change, maxFileBytes)]
  if (from.is === 'data' || to.is === 'data') return `${showData(from, to, path)}\n`
  if (from.is === 'none' && to.is === 'none') return ''
  const diff = unifiedDiff({ path, before: textOf(from), after: textOf(to) })
  // An empty file has no lines, but it is there.
  return diff.includes('\n@@')
    ? diff
    : `${to.is === 'none' ? 'Empty file removed' : 'Empty file created'}: ${path}\n`
}

/** Only says that a content changes. */
function nameContent({ before, after, beforeDigest, afterDigest }: HashedChange, path: string): string {
  if (before?.kind === after?.kind && beforeDigest === afterDigest) return ''
  const [from, to] = [unreadSide(before), unreadSide(after)]
  return from.is === 'none' && to.is === 'none' ? '' : `${showData(from, to, path)}\n`
}

function unreadSide(stat: FileStat | null): Side {
  return stat?.kind === 'file' ? { is: 'data', size: stat.size } : { is: 'none' }
}

function showData(from: Side, to: Side, path: string): string {
  if (from.is === 'none') return `File created: ${path} (${sizeOf(to)}, not shown)`
  if (to.is === 'none') return `File removed: ${path} (${sizeOf(from)}, not shown)`
  return `File changed: ${path} (${sizeOf(from)} → ${sizeOf(to)}, not shown)`
}

function sizeOf(side: Side): string {
  return side.is === 'none' ? '' : describeBytes(side.is === 'text' ? side.bytes.length : side.size)
}

function textOf(side: Side): string | null {
  return side.is === 'text' ? utf8.decode(side.bytes) : null
}
