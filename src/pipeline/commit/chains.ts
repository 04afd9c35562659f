import type { FileChange, FileState } from '../../journal/entries/entry.ts'
import { isPlain } from '../../workspace/landing/contents/held.ts'
import type { FileStatus } from '../../workspace/landing/change-status.ts'
import { isSameContent } from '../../workspace/landing/file-state.ts'
import { placeOf } from '../../workspace/landing/place-of.ts'
import { joinChanges } from './join-changes.ts'

/** What a commit changes. */
export interface Commit {
  readonly changes: readonly FileChange[]
}

interface Chain<T> {
  readonly commits: readonly T[]
  /** What each file holds after the last of them. */
  readonly left: ReadonlyMap<string, FileState | null>
}

/**
 * Splits commits, given oldest first, into chains in which each begins on files as an earlier one leaves them. Those of a
 * chain can only be put in place together: between them its files have states that may never have been on disk.
 */
export function inChains<T extends Commit>(commits: readonly T[]): readonly (readonly T[])[] {
  let chains: readonly Chain<T>[] = []
  for (const commit of commits) {
    const isStandingAlone = !commit.changes.every((change) => isPlain(change))
    const before = isStandingAlone ? [] : chains.filter((chain) => goesOn(chain, commit))
    const after = isStandingAlone
      ? []
      : commit.changes.map((change) => [placeOf(change.root, change.path), change.after] as const)
    const joined: Chain<T> = {
      commits: [...before.flatMap((chain) => chain.commits), commit],
      left: new Map([...before.flatMap(({ left }) => [...left]), ...after]),
    }
    chains = [...chains.filter((chain) => !before.includes(chain)), joined]
  }
  const order = new Map(commits.map((commit, index) => [commit, index]))
  const inOrder = (one: T, other: T): number => (order.get(one) ?? 0) - (order.get(other) ?? 0)
  return chains.map((chain) => chain.commits.toSorted(inOrder))
}

function goesOn<T>({ left }: Chain<T>, { changes }: Commit): boolean {
  return changes.some(({ root, path, before }) => {
    const earlier = left.get(placeOf(root, path))
    return earlier !== undefined && isSameContent(earlier, before)
  })
}

/** The changes of a chain, with one for each file. */
export function joinChain(chain: readonly Commit[]): readonly FileChange[] {
  const [only] = chain
  if (only !== undefined && chain.length === 1) return only.changes
  return joinChanges(chain.flatMap(({ changes }) => changes)).changes
}

/**
 * The same for a chain that may be in place in part: a file may be as any of the commits leaves it. The changes have the
 * same order in every attempt, because the names of new contents are numbered by it.
 */
export function leftOfChain(
  chain: readonly Commit[],
  statusOf: (change: FileChange) => FileStatus,
): readonly FileChange[] {
  const whole = joinChain(chain)
  if (chain.length === 1) return whole
  const joined = new Map(whole.map((change) => [placeOf(change.root, change.path), change]))
  const byPlace = Map.groupBy(
    chain.flatMap(({ changes }) => changes),
    ({ root, path }) => placeOf(root, path),
  )
  return [...byPlace].flatMap(([place, changes]) => {
    const done = changes.findLastIndex((change) => statusOf(change) === 'after')
    const isBetween = done >= 0 && done < changes.length - 1
    return isBetween ? joinChanges(changes.slice(done + 1)).changes : (joined.get(place) ?? [])
  })
}
