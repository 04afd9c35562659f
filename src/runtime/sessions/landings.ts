import type { Entry, StoredEntry, FileChange } from '../../journal/entries/entry.ts'
import type { LogStore, SessionLog, Unlanded, Unsynced } from '../../journal/log.ts'
import { changesOf } from '../../journal/entries/mentions.ts'
import type { LostChange } from '../../workspace/landing/checks/find-lost.ts'
import type { Landing } from '../../workspace/landing/landing-outcome.ts'
import { digest } from '../../host/system/hash.ts'
import { inChains, leftOfChain } from '../../pipeline/commit/chains.ts'
import { isMadeElsewhere, noteElsewhere } from '../../pipeline/made-elsewhere.ts'
import { inDoubt, isSuperseded, rollBack, takenBackBy } from '../../pipeline/commit/roll-back.ts'
import type { LandingHow, Workspace } from '../../workspace/workspace.ts'

/** After this long, the process that committed a call no longer writes its files; later changes come from elsewhere. */
const LANDING_MS = 10_000

/** Once this many landed commits are not synced, their files are synced together. */
const SYNC_AFTER = 64

/** What landing and syncing commits needs. */
export interface LandingDeps {
  readonly root: string
  readonly workspace: Workspace
  readonly durability: 'full' | 'normal' | 'memory'
  readonly newId: () => string
  /** Opens the journal if it is not open. */
  readonly journal: () => LogStore
  /** Runs `use` with the log of a session, unless another live process owns it. */
  readonly withLog: (name: string, use: (log: SessionLog) => Promise<void>) => Promise<void>
}

/** Makes sure that commits land and reach the disk. */
export interface Landings {
  /** Finishes what an earlier process left partly landed. */
  readonly ready: () => Promise<void>
  /** Whether there is nothing to finish. */
  readonly isReady: () => boolean
  /** Called when a landing failed; it is tried again before anything else is done. */
  readonly retry: () => void
  /** Called when so many commits have landed. */
  readonly noteLanded: (commits: number) => void
  /** Syncs the files of landed commits once there are many of them. */
  readonly sync: () => Promise<void>
  /** Waits for a sync that runs in the background. */
  readonly synced: () => Promise<void>
}

/** Creates the landings of a root. */
export function createLandings(deps: LandingDeps): Landings {
  const { root, workspace, durability, journal, withLog, newId } = deps
  /** Landed commits since the last sync. */
  let landed = 0
  let syncing: Promise<void> = Promise.resolve()
  /** Null while there may be something to finish; a journal in memory has nothing of earlier processes. */
  let finishing: Promise<void> | null = durability === 'memory' ? Promise.resolve() : null
  let isFinished = false

  const retry = (): void => {
    finishing = null
    isFinished = false
  }

  /** Skips sessions that another live process owns. */
  async function finishAll(): Promise<void> {
    // What an earlier process left is finished once it can be recorded.
    if (journal().refusal !== null) return
    const unlanded = journal().unlanded(root)
    for (const name of new Set(unlanded.map(({ session }) => session.name)))
      await withLog(name, async (log) => finishLandingsIn(log, { workspace, newId, retry }))
    await restoreLost(deps)
  }

  return {
    /** The next command finishes what an earlier one left. */
    async ready() {
      const work = (finishing ??= finishAll())
      try {
        await work
        isFinished = finishing === work
      } catch (thrown) {
        retry()
        throw thrown
      }
    },
    isReady: () => isFinished,
    retry,
    /** Syncs in the background, because each call has waited for one sync already; a failure is retried with the next commits. */
    noteLanded(commits) {
      landed += commits
      if (durability !== 'full' || landed < SYNC_AFTER) return
      landed = 0
      syncing = syncLanded(deps).catch(() => undefined)
    },
    sync: () => syncLanded(deps),
    synced: () => syncing,
  }
}

/** What finishing the commits of a session needs. */
export interface FinishDeps extends Pick<LandingDeps, 'workspace' | 'newId'> {
  /** Called if something is still to be finished. */
  readonly retry: () => void
}

/** Lands what a session has committed, for a process that owns the session. */
export function finishLandingsIn(log: SessionLog, deps: FinishDeps): void {
  const open = log.unlanded().filter((unlanded) => isToLand(log, unlanded, deps))
  for (const chain of inChains(open)) finishLanding(log, chain, deps)
}

/**
 * A call in doubt stays so until a person decides: its files may have changed since. What a later entry takes back is
 * not landed any more. What was made in another folder waits for that one.
 */
function isToLand(log: SessionLog, unlanded: Unlanded, { workspace }: FinishDeps): boolean {
  const { execution } = unlanded
  if (workspace.isLanding(execution)) return false
  if (isMadeElsewhere(unlanded, log, workspace)) {
    const note = noteElsewhere(execution, log)
    if (note !== null) log.append({ entries: [note], reliance: 'durable' })
    return false
  }
  if (isSuperseded(execution, log)) {
    log.landed(execution, 'given up')
    return false
  }
  return !log.about(execution).some(({ entry }) => entry.kind === 'note' && entry.about === 'in_doubt')
}

/** Lands commits that build on one another; what can never land is taken back. */
function finishLanding(
  log: SessionLog,
  chain: readonly Unlanded[],
  { workspace, newId, retry }: FinishDeps,
): void {
  const executions = chain.map(({ execution }) => execution)
  const [first = '', ...others] = executions
  const untilMs = chain.flatMap(({ committedAt, isOfEarlierBoot, isTimeCertain }) =>
    isOfEarlierBoot && isTimeCertain ? [committedAt + LANDING_MS] : [],
  )
  const tornUntilMs = untilMs.length === 0 ? null : Math.max(...untilMs)
  const changes = leftOfChain(chain, (change) => workspace.statusOf(change))
  const rollBacks = executions.flatMap((execution) => rollBacksIn(log, execution))
  const takesBack = rollBacks.length === 0 ? {} : { takesBack: takenBackBy(rollBacks) }
  const landing = workspace.land(first, changes, log.payload, { tornUntilMs, others, ...takesBack })
  if (landing.is === 'landed') log.landed(executions)
  else if (landing.is === 'failed') {
    const done = landing.isLasting
      ? rollBack(chain, { because: 'obstacle', why: landing.why }, { log, workspace, newId, digest })
      : null
    if (done === null || done.landing.is === 'failed') retry()
  } else log.append({ entries: inDoubt(executions, { files: [...landing.files] }), reliance: 'durable' })
}

/** The entry of a commit if it is a roll-back; none if it is something else. */
function rollBacksIn(log: SessionLog, execution: string): readonly Entry[] {
  return log.about(execution).flatMap(({ entry }) => {
    const isRevert = entry.kind === 'undo' || entry.kind === 'redo'
    return isRevert && entry.execution === execution && entry.rollsBack !== undefined ? [entry] : []
  })
}

/**
 * Restores what a power cut took from commits that had landed. Where the clock was wrong, what was lost cannot be told from
 * what somebody removed or put back since, and stays.
 */
async function restoreLost(deps: LandingDeps): Promise<void> {
  const { workspace, root } = deps
  const journal = deps.journal()
  const unsynced = journal.unsynced(root)
  const early = unsynced.filter(({ isOfEarlierBoot }) => isOfEarlierBoot)
  if (early.length === 0) return
  const certain = early.filter(({ isTimeCertain }) => isTimeCertain)
  const executions = new Set(certain.map(({ execution }) => execution))
  const lost = workspace
    .findLost(unsynced, journal.payload)
    .filter(({ execution }) => executions.has(execution))
  const ours = lost.length === 0 ? [] : withoutSuperseded(lost, deps)
  await eachSession(early, deps, async (log, all) => {
    const commits = all.filter((one) => !isMadeElsewhere(one, log, workspace))
    for (const { execution } of commits) {
      const own = ours.filter((change) => change.execution === execution)
      if (own.length > 0) putBack(execution, own, log, workspace)
    }
    await syncCommits(commits, log, workspace)
  })
}

/** Syncs the files of landed commits once there are many of them. */
async function syncLanded(deps: LandingDeps): Promise<void> {
  const unsynced = deps.journal().unsynced(deps.root)
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
  const landing = workspace.restoreLost(execution, lost, log.payload)
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
 * A file that a later commit changed is in that commit's state, however much it looks like a loss. Execution ids are
 * sortable, so they order calls of the same millisecond.
 */
function withoutSuperseded(
  lost: readonly LostChange[],
  { journal, root }: LandingDeps,
): readonly LostChange[] {
  const entries = journal()
    .sessions(root)
    .flatMap((key) => [...changing(journal().read(key))])
  const together = new Set(
    lost.map(({ change, execution }) => `${execution}\0${change.root}\0${change.path}`),
  )
  return lost.filter(
    ({ change, execution, committedAt }) =>
      !entries.some(
        ({ at, entry }) =>
          'execution' in entry &&
          // A later commit that was lost as well comes after this one again.
          !together.has(`${entry.execution ?? ''}\0${change.root}\0${change.path}`) &&
          (at > committedAt || (at === committedAt && (entry.execution ?? '') > execution)) &&
          changesOf(entry).some(({ root: top, path }) => top === change.root && path === change.path),
      ),
  )
}

function* changing(entries: Iterable<StoredEntry>): Generator<StoredEntry> {
  for (const stored of entries) if (changesOf(stored.entry).length > 0) yield stored
}

/** Is told how landings went. */
export interface LandingWatcher {
  /** A landing failed; it is tried again before anything else is done. */
  readonly retryLandings: () => void
  /** So many commits have landed. */
  readonly noteLanded: (commits: number) => void
}

/** Wraps a workspace to watch its landings: failures are retried, successes are synced later. */
export function watchLandings(
  workspace: Workspace,
  sessions: LandingWatcher,
  onLanded: (changes: readonly FileChange[]) => void,
): Workspace {
  const note = (landing: Landing, changes: readonly FileChange[], how?: LandingHow): Landing => {
    if (landing.is === 'failed') sessions.retryLandings()
    if (landing.is === 'landed') {
      onLanded(changes)
      sessions.noteLanded(1 + (how?.others?.length ?? 0))
    }
    return landing
  }
  return {
    ...workspace,
    land: (execution, changes, contentOf, how) =>
      note(workspace.land(execution, changes, contentOf, how), changes, how),
    landGently: async (execution, changes, contentOf, how) =>
      note(await workspace.landGently(execution, changes, contentOf, how), changes, how),
    confirm: (execution, otherChanges) => {
      // The process that was about to land them may be dead; if so, the next call finishes that first.
      if (otherChanges.length > 0) sessions.retryLandings()
      workspace.confirm(execution, otherChanges)
    },
  }
}
