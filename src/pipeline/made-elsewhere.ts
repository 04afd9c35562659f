import type { Entry, FileChange, NoteEntry } from '../journal/entries/entry.ts'
import type { SessionLog, Unlanded } from '../journal/log.ts'
import type { Workspace } from '../workspace/workspace.ts'

type Identifying = Pick<Workspace, 'identityOf'>

/** What tells the roots of changes from folders that take their places later; absent where the system does not say. */
export function identifyRoots(
  changes: readonly FileChange[],
  { identityOf }: Identifying,
): { readonly roots?: readonly string[] } {
  if (changes.length === 0) return {}
  const roots = [...new Set(changes.map(({ root }) => root))].map(identityOf)
  return roots.some((one) => one === null) ? {} : { roots: roots.filter((one) => one !== null) }
}

/**
 * Whether a commit was made in another folder than the one that has its place now: what it says about files is not about
 * these. Commits of earlier versions do not say where they were made.
 */
export function isMadeElsewhere(
  { execution, changes }: Pick<Unlanded, 'execution' | 'changes'>,
  log: Pick<SessionLog, 'about'>,
  { identityOf }: Identifying,
): boolean {
  const made = log.about(execution).flatMap(({ entry }) => rootsIn(entry, execution))
  if (made.length === 0) return false
  return [...new Set(changes.map(({ root }) => root))].some((root) => {
    const now = identityOf(root)
    return now !== null && !made.some((one) => isSameFolder(one, now))
  })
}

/** A commit is a call, or an undo or redo; others may be about it. */
function rootsIn(entry: Entry, execution: string): readonly string[] {
  const isCommit = entry.kind === 'settled' || entry.kind === 'undo' || entry.kind === 'redo'
  return isCommit && entry.execution === execution ? (entry.roots ?? []) : []
}

/**
 * Some file systems number folders anew when they are mounted, and others say when a folder was last copied instead of when it
 * was made: a copy differs in both.
 */
function isSameFolder(one: string, other: string): boolean {
  const [inode, born] = one.split(' ')
  const [otherInode, otherBorn] = other.split(' ')
  return inode === otherInode || born === otherBorn
}

/** The note in the log that a commit was made in another folder, and waits for it. */
export const ELSEWHERE = 'elsewhere'

/** Why a commit is not in place, and what has to happen. */
export const WAITS_ELSEWHERE =
  'it was made in another folder than the one that is here now, and is finished once that folder is here again'

/** The note about a commit that waits for its folder; null if it is on record already. */
export function noteElsewhere(execution: string, log: Pick<SessionLog, 'about'>): NoteEntry | null {
  const isNoted = log.about(execution).some(({ entry }) => entry.kind === 'note' && entry.about === ELSEWHERE)
  return isNoted ? null : { kind: 'note', about: ELSEWHERE, execution, data: null }
}
