import type { Clock } from '../core/clock.ts'
import type { StoredEntry } from '../journal/entry.ts'
import type { LogStore, SessionLog } from '../journal/log.ts'
import { openStore } from '../journal/open-store.ts'
import type { Workspace } from '../workspace/workspace.ts'

/** What the sessions of a root need. */
export interface SessionsOptions {
  readonly root: string
  readonly stateDir: string
  readonly durability: 'full' | 'normal' | 'memory'
  readonly clock: Clock
  readonly workspace: Workspace
  readonly waitMs: number
}

/** The sessions of one root: each is opened once, and owned until the runtime closes. */
export interface Sessions {
  readonly open: (name: string) => Promise<SessionLog>
  readonly names: () => readonly string[]
  /** Sessions with calls that have no result yet. */
  readonly waiting: (name?: string) => readonly string[]
  readonly read: (name?: string) => Iterable<StoredEntry>
  /** Calls whose id begins like this, with the entries about each. */
  readonly find: (prefix: string) => readonly { readonly execution: string; readonly entries: readonly StoredEntry[] }[]
  readonly close: () => Promise<void>
}

/** Opens the journal when it is first needed; what an earlier process left half landed is finished then. */
export function openSessions({ root, stateDir, durability, clock, workspace, waitMs }: SessionsOptions): Sessions {
  const open = new Map<string, Promise<SessionLog>>()
  let opened: LogStore | null = null

  function store(): LogStore {
    opened ??= openStore({ stateDir, durability, clock })
    return opened
  }

  /** A session whose owner lives is left to that owner. */
  async function finishLandings(journal: LogStore): Promise<void> {
    const names = new Set(journal.unlanded(root).map(({ session }) => session.name))
    for (const name of names) {
      const log = await journal.open({ root, name }, 0).catch(() => null)
      if (log === null) continue
      for (const { execution, changes } of log.unlanded()) {
        if (workspace.land(execution, changes, log.payload).is === 'landed') log.landed(execution)
      }
      open.set(name, Promise.resolve(log))
    }
  }

  let landing: Promise<void> | null = null

  async function openSession(name: string): Promise<SessionLog> {
    const journal = store()
    landing ??= finishLandings(journal)
    await landing
    const known = open.get(name)
    if (known !== undefined) return known
    const opening = journal.open({ root, name }, waitMs)
    open.set(name, opening)
    opening.catch(() => open.delete(name))
    return opening
  }

  return {
    open: openSession,
    names: () => store().sessions(root).map(({ name }) => name),
    waiting: (name) => [...new Set(store().openBatches(root).map(({ session }) => session.name))].filter((known) => name === undefined || known === name),
    *read(name) {
      for (const key of store().sessions(root)) if (name === undefined || key.name === name) yield* store().read(key)
    },
    find: (prefix) => store().findCalls(prefix, root).map((call) => ({ execution: call.execution, entries: store().about(call) })),
    async close() {
      for (const opening of open.values()) (await opening.catch(() => null))?.close()
      open.clear()
      opened?.close()
      opened = null
    },
  }
}
