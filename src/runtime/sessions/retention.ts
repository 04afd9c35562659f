import { DAY_MS } from '../../core/clock.ts'
import { pruneFiles } from '../../host/fs/prune-files.ts'
import { enforceLimits } from '../../journal/erase/enforce-limits.ts'
import type { LogStore } from '../../journal/log.ts'

/** What is kept, and for how long; the one place that decides about it. */
export interface Retention {
  readonly maxBytes: number
  /** Days; 0 keeps everything. */
  readonly maxAgeDays: number
  readonly backupFolder: string
  /** Where the output of commands is kept. */
  readonly outputFolder: string
}

const PRUNED = 'backups pruned'

/** Erases what has become too old or too much, in the journal, among the backups and of the output of commands, and grants that ended long ago. */
export async function enforceRetention(
  store: LogStore,
  { maxBytes, maxAgeDays, backupFolder, outputFolder }: Retention,
  now: number,
): Promise<void> {
  await enforceLimits(store, { maxBytes, maxAgeDays }, now)
  const last = Number(store.readValue(PRUNED) ?? 0)
  if (maxAgeDays === 0 || now - last < DAY_MS) return
  for (const folder of [backupFolder, outputFolder]) pruneFiles(folder, now - maxAgeDays * DAY_MS)
  store.grants.prune(now - maxAgeDays * DAY_MS)
  store.writeValue(PRUNED, String(now))
}
