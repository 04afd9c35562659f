import type { Clock } from '../core/clock.ts'
import type { LogStore } from './log.ts'
import { openMemoryStore } from './store/memory-store.ts'
import { openSqliteStore } from './store/sqlite-store.ts'

/** What a power cut may lose: nothing, the last moments, or everything. */
export type Durability = 'full' | 'normal' | 'memory'

/** Opens the journal of a state folder, or one in memory that ends with the process. */
export function openStore({
  stateDir,
  durability,
  clock,
  witness,
}: {
  readonly stateDir: string
  readonly durability: Durability
  readonly clock: Clock
  /** A file elsewhere that is told the heads of the chains; none if empty or absent. */
  readonly witness?: string | undefined
}): LogStore {
  return durability === 'memory'
    ? openMemoryStore(clock)
    : openSqliteStore({ stateDir, durability, clock, witness })
}
