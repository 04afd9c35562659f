import type { FileChange } from '../../journal/entries/file-change.ts'
import type { SessionLog } from '../../journal/log.ts'

/** What a call of the session changed, as it is on record. */
export function changesOf(log: Pick<SessionLog, 'about'>, execution: string): readonly FileChange[] {
  return log
    .about(execution)
    .flatMap(({ entry }) => (entry.kind === 'settled' && entry.execution === execution ? entry.changes : []))
}
