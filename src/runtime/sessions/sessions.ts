import type { OnBusy } from '../../core/busy-session.ts'
import type { Clock } from '../../core/clock.ts'
import type { StoredEntry } from '../../journal/entries/entry.ts'
import type { GrantStore } from '../../journal/grants/grant-store.ts'
import { forget } from '../../journal/erase/forget.ts'
import type { ForgetReport, ForgetSelection } from '../../journal/erase/forget.ts'
import { JournalError, UnreadableEntry } from '../../journal/journal-error.ts'
import type { LogReader, LogStore, SessionBrief, SessionLog, Unlanded } from '../../journal/log.ts'
import { openStore } from '../../journal/open-store.ts'
import type { Workspace } from '../../workspace/workspace.ts'
import { openWhenFree } from './open-when-free.ts'
import { enforceRetention } from './retention.ts'
import type { Retention } from './retention.ts'
import { restoreLost, SYNC_AFTER, syncLanded } from './landings.ts'
import type { LandingDeps, LandingWatcher } from './landings.ts'

/** Longer than this after its commit, no process still writes the files of a call; later changes are others'. */
const LANDING_MS = 10_000

/** What the sessions of a root need. */
export interface SessionsOptions {
  readonly root: string
  readonly stateDir: string
  readonly durability: 'full' | 'normal' | 'memory'
  readonly clock: Clock
  readonly workspace: Workspace
  readonly waitMs: number
  readonly onBusy: OnBusy | undefined
  readonly retention: Retention
}

/** The sessions of one root: each is opened once, and owned until the runtime closes. */
export interface Sessions extends LandingWatcher {
  readonly open: (name: string, timeoutMs?: number) => Promise<SessionLog>
  /** A session that is open already, if nothing has to be finished first; else null. */
  readonly opened: (name: string) => SessionLog | null
  /** Opens a session unless another live process owns it. */
  readonly tryOpen: (name: string) => Promise<SessionLog | null>
  /** Finishes what an earlier process left half landed. */
  readonly ready: () => Promise<void>
  /** Reads a session without owning it. */
  readonly peek: (name: string) => LogReader
  readonly names: () => readonly string[]
  /** Sessions at a glance, the one that was written to last first. */
  readonly recent: () => readonly SessionBrief[]
  /** Sessions with calls that have no result yet. */
  readonly waiting: (name?: string) => readonly string[]
  readonly read: (name?: string) => Iterable<StoredEntry>
  /** Calls whose id begins like this, with the entries about each. */
  readonly find: (
    prefix: string,
  ) => readonly { readonly execution: string; readonly entries: readonly StoredEntry[] }[]
  /** Where the grants of all roots are kept. */
  readonly grants: () => GrantStore
  readonly forget: (selection: ForgetSelection) => Promise<ForgetReport>
  readonly close: () => Promise<void>
}

/** Opens the journal when it is first needed; what an earlier process left half landed is finished then. */
export function openSessions({
  root,
  stateDir,
  durability,
  clock,
  workspace,
  waitMs,
  onBusy,
  retention,
}: SessionsOptions): Sessions {
  const open = new Map<string, Promise<SessionLog>>()
  const logs = new Map<string, SessionLog>()
  let opened: LogStore | null = null
  /** Landings since the last look at what is not synced. */
  let landed = 0
  let syncing: Promise<void> = Promise.resolve()
  /** Null while there may be something to finish; memory holds nothing of earlier processes. */
  let finishing: Promise<void> | null = durability === 'memory' ? Promise.resolve() : null
  let isFinished = false

  function store(): LogStore {
    opened ??= openStore({ stateDir, durability, clock })
    return opened
  }

  /** A session whose owner lives is left to that owner. */
  async function finishLandings(journal: LogStore): Promise<void> {
    const names = new Set(journal.unlanded(root).map(({ session }) => session.name))
    for (const name of names) await withLog(name, async (log) => finishIn(log)).catch(nullIfUnreadable)
    await restoreLost(landingDeps(journal))
  }

  const landingDeps = (journal: LogStore): LandingDeps => ({ root, journal, workspace, withLog })

  async function withLog(name: string, use: (log: SessionLog) => Promise<void>): Promise<void> {
    const ours = open.get(name)
    const log = await (ours ?? store().open({ root, name }, 0)).catch(nullIfBusy)
    if (log === null) return
    try {
      await use(log)
    } finally {
      // Kept open, it would lock everybody else out of a session that nobody here has asked for.
      if (ours === undefined) log.close()
    }
  }

  /** In the background, because a call has its one sync already; what fails is tried again with the next ones. */
  function noteLanded(): void {
    if (durability !== 'full' || ++landed < SYNC_AFTER || opened === null) return
    landed = 0
    syncing = syncLanded(landingDeps(opened)).catch(() => undefined)
  }

  function finishIn(log: SessionLog): void {
    for (const unlanded of log.unlanded()) finishLanding(log, unlanded)
  }

  /** What once was found in doubt stays so until a person has decided: the files may have moved on. */
  function finishLanding(
    log: SessionLog,
    { execution, changes, committedAt, isOfEarlierBoot }: Unlanded,
  ): void {
    if (log.about(execution).some(({ entry }) => entry.kind === 'note' && entry.about === 'in_doubt')) return
    const tornUntilMs = isOfEarlierBoot ? committedAt + LANDING_MS : null
    const landing = workspace.land(execution, changes, log.payload, tornUntilMs)
    if (landing.is === 'landed') log.landed(execution)
    else if (landing.is === 'failed') retryLandings()
    else
      log.append({
        entries: [{ kind: 'note', about: 'in_doubt', execution, data: { files: [...landing.files] } }],
        reliance: 'durable',
      })
  }

  /** Whichever command comes next finishes what an earlier one left. */
  async function ready(): Promise<void> {
    const work = (finishing ??= finishLandings(store()))
    try {
      await work
      isFinished = finishing === work
    } catch (thrown) {
      retryLandings()
      throw thrown
    }
  }

  const retryLandings = (): void => {
    finishing = null
    isFinished = false
  }

  async function openSession(name: string, timeoutMs = waitMs): Promise<SessionLog> {
    await ready()
    const known = open.get(name)
    if (known !== undefined) return known
    const opening = openHere(name, timeoutMs)
    open.set(name, opening)
    opening.catch(() => open.delete(name))
    return opening
  }

  /** Whoever had the session until now may have died in the middle of a commit. */
  async function openHere(name: string, timeoutMs: number): Promise<SessionLog> {
    const log = await openWhenFree(name, timeoutMs, (someMs) => store().open({ root, name }, someMs), onBusy)
    try {
      finishIn(log)
      logs.set(name, log)
      return log
    } catch (thrown) {
      log.close()
      throw thrown
    }
  }

  return {
    open: openSession,
    opened: (name) => (isFinished ? (logs.get(name) ?? null) : null),
    tryOpen: (name) => openSession(name, 0).catch(nullIfBusy),
    ready,
    retryLandings,
    noteLanded,
    peek: (name) => ({
      key: { root, name },
      entries: (fromSeq) => store().read({ root, name }, fromSeq),
      payload: (digest) => store().payload(digest),
      openBatches: () =>
        store()
          .openBatches(root)
          .filter(({ session }) => session.name === name),
    }),
    names: () =>
      store()
        .sessions(root)
        .map(({ name }) => name),
    recent: () => store().recent(root),
    waiting: (name) =>
      [
        ...new Set(
          store()
            .openBatches(root)
            .map(({ session }) => session.name),
        ),
      ].filter((known) => name === undefined || known === name),
    *read(name) {
      for (const key of store().sessions(root))
        if (name === undefined || key.name === name) yield* store().read(key)
    },
    find: (prefix) =>
      store()
        .findCalls(prefix, root)
        .map((call) => ({ execution: call.execution, entries: store().about(call) })),
    grants: () => store().grants,
    forget: (selection) => forget(store(), selection, { why: 'the user asked for it', waitMs }),
    async close() {
      await syncing
      try {
        if (opened !== null && open.size > 0 && durability !== 'memory') {
          await syncLanded(landingDeps(opened)).catch(() => undefined)
          await enforceRetention(opened, retention, clock.now())
        }
      } finally {
        // A journal that fails must not keep its sessions locked for as long as the process lives.
        for (const opening of open.values()) (await opening.catch(() => null))?.close()
        open.clear()
        logs.clear()
        opened?.close()
        opened = null
      }
    },
  }
}

/** What a damaged session left can only be finished where that session is opened, which says what is wrong. */
function nullIfUnreadable(thrown: unknown): null {
  if (thrown instanceof UnreadableEntry) return null
  throw thrown
}

function nullIfBusy(thrown: unknown): null {
  if (thrown instanceof JournalError && thrown.code === 'session_busy') return null
  throw thrown
}
