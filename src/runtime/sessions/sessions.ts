import type { OnBusy } from '../../core/busy-session.ts'
import { DAY_MS } from '../../core/clock.ts'
import type { Clock } from '../../core/clock.ts'
import { pruneFiles, sweepDrafts } from '../../host/fs/private-files.ts'
import type { LayerStatus } from '../../host/layer/sweep-layers.ts'
import { credibleTime } from '../../journal/erase/credible-time.ts'
import { enforceLimits } from '../../journal/erase/enforce-limits.ts'
import { pruneKeptCopies, pruneLocks } from '../../journal/store/state-files.ts'
import { noteIdentity } from './adopt-root.ts'
import { forgetHere } from './forget-here.ts'
import { forgetLayers, layerStatus, limitLayers } from './forget-layers.ts'
import type { ForgetReport, ForgetSelection } from '../../journal/erase/forget.ts'
import { bindGrants } from '../../journal/grants/bound-grants.ts'
import type { GrantStore } from '../../journal/grants/grant-store.ts'
import { JournalError } from '../../journal/journal-error.ts'
import type { LogStore, SessionLog } from '../../journal/log.ts'
import { openStore } from '../../journal/open-store.ts'
import { findRefusal } from '../../journal/access/find-refusal.ts'
import { openForRoot } from '../../journal/access/moved-root.ts'
import { makeReserve } from '../../journal/access/reserve.ts'
import type { Workspace } from '../../workspace/workspace.ts'
import { createLandings, finishLandingsIn } from './landings.ts'
import type { LandingWatcher } from './landings.ts'
import { nameSession } from './name-session.ts'
import { openWhenFree } from './open-when-free.ts'
import { readSessions } from './read-sessions.ts'
import type { ReadSessions } from './read-sessions.ts'

/** How much is kept and for how long, in the journal, the backups and the stored output. */
export interface Retention {
  readonly maxBytes: number
  /** Days; 0 keeps everything. */
  readonly maxAgeDays: number
  readonly backupFolder: string
  /** Where the output of commands is stored. */
  readonly outputFolder: string
  /** Folders with many files, in which a killed process may have left drafts. */
  readonly draftFolders: readonly string[]
  /** Folders with the layers of commands. */
  readonly layerPlaces: readonly string[]
}

/** What the sessions of a root need. */
export interface SessionsOptions {
  readonly root: string
  readonly stateDir: string
  readonly durability: 'full' | 'normal' | 'memory'
  readonly clock: Clock
  readonly newId: () => string
  /** A file that is told the heads of the log; empty if there is none. */
  readonly witness: string
  readonly workspace: Workspace
  readonly waitMs: number
  readonly onBusy: OnBusy | undefined
  readonly retention: Retention
}

/** The sessions of one root: each is opened once, and owned until the runtime closes. */
export interface Sessions extends LandingWatcher, ReadSessions {
  readonly open: (name: string, timeoutMs?: number) => Promise<SessionLog>
  /** A session that is already open, if there is nothing to finish first; else null. */
  readonly opened: (name: string) => SessionLog | null
  /** Opens a session for a look at it; one that cannot be written fails on the first write. */
  readonly openToRead: (name: string) => Promise<SessionLog>
  /** Opens a session unless another live process owns it. */
  readonly tryOpen: (name: string) => Promise<SessionLog | null>
  /** Opens a session, and fails at once if another live process owns it. */
  readonly claim: (name: string) => Promise<SessionLog>
  /** Closes a session, so that another process or runtime can open it. */
  readonly release: (name: string) => Promise<void>
  /** Opens a session that nothing was recorded in yet, under a new name. */
  readonly begin: (prefix?: string) => Promise<SessionLog>
  /** Finishes what an earlier process left partly landed. */
  readonly ready: () => Promise<void>
  /** Whether what a call left on its layer may still be needed. */
  readonly layerStatus: (execution: string) => LayerStatus
  /** The store of the grants of all roots. */
  readonly grants: () => GrantStore
  readonly forget: (selection: ForgetSelection) => Promise<ForgetReport>
  readonly close: () => Promise<void>
}

/** Opens the journal when it is first needed, and finishes what an earlier process left partly landed. */
export function openSessions(options: SessionsOptions): Sessions {
  const { root, stateDir, durability, clock, newId, witness, workspace, waitMs, onBusy } = options
  const open = new Map<string, Promise<SessionLog>>()
  const logs = new Map<string, SessionLog>()
  /** Opened only to be read, because nothing can be written. */
  const read: SessionLog[] = []
  let opened: LogStore | null = null
  /** Those that could only be read; somebody may still read them. */
  const retired: LogStore[] = []

  function store(): LogStore {
    // A folder that was made writable again, or a disk with room again, is noticed without a new process.
    if (opened !== null && opened.refusal !== null && findRefusal(stateDir) === null) {
      retired.push(opened)
      opened = null
      landings.retry()
    }
    opened ??= openForRoot(openStore({ stateDir, durability, clock, witness }), root)
    return opened
  }

  const landings = createLandings({ root, workspace, durability, newId, journal: store, withLog })

  async function withLog(name: string, use: (log: SessionLog) => Promise<void>): Promise<void> {
    const ours = open.get(name)
    const log = await (ours ?? store().open({ root, name }, 0)).catch(nullIfBusy)
    if (log === null) return
    try {
      await use(log)
    } finally {
      // Left open, it would lock other processes out of a session that this one does not use.
      if (ours === undefined) log.close()
    }
  }

  async function openSession(name: string, timeoutMs = waitMs): Promise<SessionLog> {
    await landings.ready()
    const known = open.get(name)
    if (known !== undefined) return known
    const opening = openHere(name, timeoutMs)
    open.set(name, opening)
    opening.catch(() => open.delete(name))
    return opening
  }

  /** The previous owner of the session may have died in the middle of a commit. */
  async function openHere(name: string, timeoutMs: number): Promise<SessionLog> {
    const log = await openWhenFree(name, timeoutMs, (someMs) => store().open({ root, name }, someMs), onBusy)
    try {
      noteIdentity(store(), root)
      finishLandingsIn(log, { workspace, newId, retry: landings.retry })
      logs.set(name, log)
      return log
    } catch (thrown) {
      log.close()
      throw thrown
    }
  }

  /** Opens a session for a look at it, even if nothing can be written. */
  async function openToRead(name: string): Promise<SessionLog> {
    if (store().refusal === null) return openSession(name)
    const log = await store().openToRead({ root, name }, waitMs)
    read.push(log)
    return log
  }

  /** A process that only looks whether the session is in use has it for a moment; that is not worth an error. */
  const claim = (name: string): Promise<SessionLog> => openSession(name, PASSING_MS)

  async function begin(prefix = ''): Promise<SessionLog> {
    for (;;) {
      const log = await openSession(prefix + nameSession(clock.now()), 0).catch(nullIfBusy)
      if (log !== null && log.latestSeq() === 0) return log
    }
  }

  function closeStore(): void {
    for (const log of read.splice(0)) log.close()
    for (const one of retired.splice(0)) one.close()
    opened?.close()
    opened = null
  }

  async function close(): Promise<void> {
    await landings.synced()
    try {
      if (opened !== null && open.size > 0 && durability !== 'memory') {
        await landings.sync().catch(() => undefined)
        await tidyUp(opened, options)
      }
    } finally {
      // A failing journal must not keep its sessions locked until the process ends.
      for (const opening of open.values()) (await opening.catch(() => null))?.close()
      open.clear()
      logs.clear()
      closeStore()
    }
  }

  return {
    ...readSessions(root, store),
    open: openSession,
    opened: (name) => (landings.isReady() ? (logs.get(name) ?? null) : null),
    tryOpen: (name) => openSession(name, 0).catch(nullIfBusy),
    claim,
    begin,
    async release(name) {
      const opening = open.get(name)
      open.delete(name)
      logs.delete(name)
      const log = await opening?.catch(() => null)
      log?.close()
    },
    ready: landings.ready,
    retryLandings: landings.retry,
    noteLanded: (commits) => {
      if (opened !== null) landings.noteLanded(commits)
    },
    grants: () => bindGrants(store().grants),
    openToRead,
    layerStatus: (execution) => layerStatus(store(), execution),
    async forget(selection) {
      const executions =
        selection.is === 'call'
          ? store()
              .findCalls(selection.prefix, selection.root)
              .map((call) => call.execution)
          : []
      const isInMemory = durability === 'memory'
      const done = await forgetHere(selection, { stateDir, isInMemory, waitMs, store, closeStore })
      if (!done.ok) return done
      const { layerPlaces } = options.retention
      return { ...done, files: await forgetLayers(store(), layerPlaces, { selection, executions, waitMs }) }
    },
    close,
  }
}

/** Keeps to the limits. Results are out by now; what could not be tidied up is no failure of theirs. */
async function tidyUp(store: LogStore, { retention, clock, stateDir }: SessionsOptions): Promise<void> {
  await enforceRetention(store, retention, { now: clock.now(), stateDir }).catch(() => undefined)
  makeReserve(stateDir)
}

/** How long a claim tries to take a session. */
const PASSING_MS = 150

/** The name under which the store records when files were last pruned. */
const PRUNED = 'backups pruned'

/** Erases what is too old or too much in the journal, the backups and the stored output, and grants that ended long ago. */
async function enforceRetention(
  store: LogStore,
  { maxBytes, maxAgeDays, backupFolder, outputFolder, draftFolders, layerPlaces }: Retention,
  { now: clockTime, stateDir }: { readonly now: number; readonly stateDir: string },
): Promise<void> {
  if (maxAgeDays === 0 && maxBytes === 0) return
  const now = credibleTime(store, clockTime)
  await enforceLimits(store, { maxBytes, maxAgeDays }, now)
  const last = Number(store.readValue(PRUNED) ?? 0)
  if (Math.abs(now - last) < DAY_MS) return
  const before = maxAgeDays === 0 ? 0 : now - maxAgeDays * DAY_MS
  await limitLayers(store, layerPlaces, { maxBytes, before })
  store.writeValue(PRUNED, String(now))
  pruneLocks(stateDir)
  if (maxAgeDays === 0) return
  for (const folder of draftFolders) sweepDrafts(folder)
  for (const folder of [backupFolder, outputFolder]) pruneFiles(folder, before)
  store.grants.prune(before)
  pruneKeptCopies(stateDir, before)
}

function nullIfBusy(thrown: unknown): null {
  if (thrown instanceof JournalError && thrown.code === 'session_busy') return null
  throw thrown
}
