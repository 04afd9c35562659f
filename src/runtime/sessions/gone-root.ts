import { systemClock } from '../../host/system/clock.ts'
import { explainCall } from '../../journal/folds/explain-call.ts'
import { countEntries } from '../../journal/folds/statistics.ts'
import { openStore } from '../../journal/open-store.ts'
import { storeSize } from '../../journal/store/state-files.ts'
import type { Runtime } from '../runtime.ts'
import { readSessions } from './read-sessions.ts'

/** The part of a runtime that needs the journal alone. */
export type History = Pick<Runtime, 'log' | 'why' | 'stats' | 'counts' | 'peek' | 'close'>

/** Opens the history of a root that does not exist any more, by its canonical path; null if there is none. */
export function openGoneRoot(root: string, stateDir: string): History | null {
  if (storeSize(stateDir) === null) return null
  const store = openStore({ stateDir, durability: 'full', clock: systemClock })
  const sessions = readSessions(root, () => store)
  if (sessions.names().length === 0) {
    store.close()
    return null
  }
  return {
    log: ({ session, last } = {}) => sessions.read(session, last),
    why: (prefix) =>
      sessions.find(prefix).flatMap(({ execution, entries }) => explainCall(execution, entries) ?? []),
    stats: ({ session } = {}) => countEntries(sessions.read(session)),
    counts: sessions.counts,
    peek: sessions.peek,
    close: async () => store.close(),
  }
}
