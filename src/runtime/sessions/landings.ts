import type { StoredEntry, FileChange } from '../../journal/entries/entry.ts'
import type { LogStore, SessionLog, Unsynced } from '../../journal/log.ts'
import { changesOf } from '../../journal/entries/mentions.ts'
import type { LostChange } from '../../workspace/landing/find-lost.ts'
import type { Workspace } from '../../workspace/workspace.ts'

/** What looking after commits in place needs. */
export interface LandingDeps {
  readonly root: string
  readonly journal: LogStore
  readonly workspace: Workspace
  /** Runs `use` with the log of a session, unless another live process owns it. */
  readonly withLog: (name: string, use: (log: SessionLog) => Promise<void>) => Promise<void>
}

/** So many commits may be in place without being synced; then their files are synced together. */
export const SYNC_AFTER = 64

/** Puts back what a power cut took from commits that were in place when the machine stopped. */
export async function restoreLost(deps: LandingDeps): Promise<void> {
  const { journal, workspace, root } = deps
  const unsynced = journal.unsynced(root)
  const early = unsynced.filter(({ isOfEarlierBoot }) => isOfEarlierBoot)
  if (early.length === 0) return
  const executions = new Set(early.map(({ execution }) => execution))
  const lost = workspace
    .findLost(unsynced, journal.payload)
    .filter(({ execution }) => executions.has(execution))
  const ours = lost.length === 0 ? [] : withoutSuperseded(lost, deps)
  await eachSession(early, deps, async (log, commits) => {
    for (const { execution } of commits) {
      const own = ours.filter((change) => change.execution === execution)
      if (own.length > 0) putBack(execution, own, log, workspace)
    }
    await syncCommits(commits, log, workspace)
  })
}

/** Syncs the files of commits in place once there are many of them. */
export async function syncLanded(deps: LandingDeps): Promise<void> {
  const unsynced = deps.journal.unsynced(deps.root)
  if (unsynced.length < SYNC_AFTER) return
  await eachSession(unsynced, deps, (log, commits) => syncCommits(commits, log, deps.workspace))
}

async function syncCommits(
  commits: readonly Unsynced[],
  log: SessionLog,
  workspace: Workspace,
): Promise<void> {
  await workspace.sync(commits.flatMap(({ changes }) => changes))
  log.synced(commits.map(({ execution }) => execution))
}

function putBack(
  execution: string,
  lost: readonly LostChange[],
  log: SessionLog,
  workspace: Workspace,
): void {
  const files = lost.map(({ change }) => change.path)
  const landing = workspace.mend(execution, lost, log.payload)
  log.append({
    entries: [{ kind: 'note', about: 'mended', execution, data: { files, is: landing.is } }],
    reliance: 'durable',
  })
}

async function eachSession(
  commits: readonly Unsynced[],
  { withLog }: LandingDeps,
  use: (log: SessionLog, commits: readonly Unsynced[]) => Promise<void>,
): Promise<void> {
  for (const [name, own] of Map.groupBy(commits, ({ session }) => session.name))
    await withLog(name, (log) => use(log, own))
}

/**
 * A file that a later commit changed is what that one made of it, however much it looks like something lost. Execution
 * ids are sortable, which tells calls of the same millisecond apart.
 */
function withoutSuperseded(
  lost: readonly LostChange[],
  { journal, root }: LandingDeps,
): readonly LostChange[] {
  const entries = journal.sessions(root).flatMap((key) => [...changing(journal.read(key))])
  return lost.filter(
    ({ change, execution, committedAt }) =>
      !entries.some(
        ({ at, entry }) =>
          'execution' in entry &&
          (at > committedAt || (at === committedAt && (entry.execution ?? '') > execution)) &&
          changesOf(entry).some(({ root: top, path }) => top === change.root && path === change.path),
      ),
  )
}

function* changing(entries: Iterable<StoredEntry>): Generator<StoredEntry> {
  for (const stored of entries) if (changesOf(stored.entry).length > 0) yield stored
}

/** Is told how putting commits in place went. */
export interface LandingWatcher {
  /** Says that something could not be put in place, so that it is tried again before anything else is done. */
  readonly retryLandings: () => void
  /** Says that a commit is in place. */
  readonly noteLanded: () => void
}

/** The same workspace, whose landings are followed: what failed is tried again, what succeeded is synced one day. */
export function watchLandings(
  workspace: Workspace,
  sessions: LandingWatcher,
  onLanded: (changes: readonly FileChange[]) => void,
): Workspace {
  return {
    ...workspace,
    land: (execution, changes, contentOf) => {
      const landing = workspace.land(execution, changes, contentOf)
      if (landing.is === 'failed') sessions.retryLandings()
      if (landing.is === 'landed') {
        onLanded(changes)
        sessions.noteLanded()
      }
      return landing
    },
    confirm: (execution, otherChanges) => {
      // Whoever was about to change them may be dead; if so, the next call finishes that first.
      if (otherChanges.length > 0) sessions.retryLandings()
      workspace.confirm(execution, otherChanges)
    },
  }
}
