import { folderOf } from '../../host/root/rel-path.ts'
import type { FileStat } from '../../host/root/root.ts'
import { statOrNull } from '../../host/root/stat-plain.ts'
import type { CopyPlan } from './clean-layer.ts'
import type { HashedChange } from './file-changes.ts'
import { NOTHING } from './layer-files.ts'
import type { OpenPart } from './layer-files.ts'

const SETUID = 0o4000
const SETGID = 0o2000

/** Takes the bits from new and changed files that would let them run with other rights; returns where it did. */
export function dropSpecialBits(
  part: OpenPart,
  changes: readonly HashedChange[],
): { readonly changes: readonly HashedChange[]; readonly dropped: readonly string[] } {
  const dropped: string[] = []
  const kept = changes.map((change): HashedChange => {
    const { path, before, after } = change
    if (after === null || after.kind === 'symlink' || after.source.layer === 'lower') return change
    const mode = after.mode & ~specialBits(part, path, before, after)
    if (mode === after.mode) return change
    part.opened.setMode(path, mode)
    dropped.push(path)
    return { ...change, after: { ...after, mode } }
  })
  return { changes: kept.filter((change) => !isUnchanged(change)), dropped }
}

function specialBits(part: OpenPart, path: string, before: FileStat | null, after: FileStat): number {
  if (after.kind === 'file') return SETUID | SETGID
  if (after.kind !== 'dir') return 0
  // A folder inherits this bit, which then only decides about groups.
  const holder = folderOf(path)
  const above = part.upper.stat(holder) ?? part.lower.stat(holder)
  const isInherited = ((above?.mode ?? 0) & SETGID) !== 0
  const wasSet = before?.kind === 'dir' && (before.mode & SETGID) !== 0
  return isInherited || wasSet ? SETUID : SETUID | SETGID
}

/** Whether nothing is left of a change; one of attributes alone has no other difference. */
export function isUnchanged({ before, after, beforeDigest, afterDigest, isSame }: HashedChange): boolean {
  if (isSame === true || before === null || after === null || before.kind !== after.kind) return false
  const isAlike = before.mode === after.mode && before.uid === after.uid && before.gid === after.gid
  return isAlike && beforeDigest === afterDigest
}

const OWNER_CHANGES = 0o300

/**
 * The folders of the workspace in which names change, and that their owner may not write to before and after: landing opens
 * them, so the mode that each has to get again must be on record.
 */
export function findShutFolders(part: OpenPart, changes: readonly HashedChange[]): readonly HashedChange[] {
  const known = new Set(['', ...changes.map(({ path }) => path)])
  return changes.flatMap(({ path }): readonly HashedChange[] => {
    const folder = folderOf(path)
    if (known.has(folder)) return []
    known.add(folder)
    const stat = statOrNull(part.lower, folder)
    if (stat?.kind !== 'dir' || !isShut(stat) || part.lower.isWritable(folder)) return []
    const after = { ...stat, source: { layer: 'lower', path: folder } as const }
    return [{ path: folder, before: stat, after, part, beforeDigest: NOTHING, afterDigest: NOTHING }]
  })
}

function isShut({ mode, uid }: FileStat): boolean {
  return (mode & OWNER_CHANGES) !== OWNER_CHANGES && uid === process.geteuid?.()
}

/** What has to be copied before changes can land, and the files that had several names. */
export interface PlannedCopies extends CopyPlan {
  readonly changes: readonly HashedChange[]
  readonly separated: readonly string[]
}

/**
 * Plans copies of files that carry marks of the overlay, of files with several names, which land as files of their own,
 * and of what a moved folder shows although it stays at its old place too.
 */
export function planCopies(changes: readonly HashedChange[], marked: ReadonlySet<string>): PlannedCopies {
  const leaving = new Set(changes.filter(({ before }) => before !== null).map(({ path }) => path))
  const inUpper = new Set<string>()
  const separated: string[] = []
  const fromLower = new Map<string, string>()
  const known = new Set<number>()
  const planned = changes.map((change): HashedChange => {
    const { path, after } = change
    if (after === null || after.kind === 'dir') return change
    if (after.source.layer === 'lower') {
      if (leaving.has(after.source.path)) return change
      fromLower.set(path, after.source.path)
      return { ...change, after: { ...after, source: { layer: 'upper', path } } }
    }
    if (marked.has(path)) inUpper.add(path)
    if (after.kind === 'file' && after.nlink > 1) {
      if (known.has(after.ino)) inUpper.add(path)
      if (known.has(after.ino)) separated.push(path)
      known.add(after.ino)
    }
    return change
  })
  return { changes: planned, inUpper: [...inUpper], fromLower, separated }
}
