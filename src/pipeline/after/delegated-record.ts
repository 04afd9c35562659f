import { showPath } from '../../core/text/display/show-path.ts'
import type { BatchEntry, SettledEntry } from '../../journal/entries/entry.ts'
import { netChanges } from '../../journal/folds/net-changes.ts'
import type { LogReader } from '../../journal/log.ts'

/** What the calls of a delegated conversation did, and those of the conversations that it began. */
export interface DelegatedRecord {
  readonly calls: number
  /** How many of them have a result. */
  readonly ended: number
  readonly changes: readonly { readonly path: string; readonly change: 'created' | 'modified' | 'deleted' }[]
}

type Log = Pick<LogReader, 'about' | 'entries' | 'key'>

/** Reads what a delegated conversation did, by the call that it belongs to. */
export function readDelegatedRecord(execution: string, log: Log): DelegatedRecord {
  const conversations = new Set([execution])
  const open = new Map<string, BatchEntry>()
  const settled: SettledEntry[] = []
  const rolledBack = new Set<string>()
  let calls = 0
  const from = log.about(execution).find(({ entry }) => entry.kind === 'batch')?.seq ?? 1
  for (const { entry } of log.entries(from)) {
    if (entry.kind === 'batch' && entry.delegate !== undefined && conversations.has(entry.delegate)) {
      open.set(entry.batch, entry)
      calls += entry.calls.length
      // Only calls that delegate have conversations, so the others match nothing.
      for (const call of entry.calls) conversations.add(call.execution)
    } else if (entry.kind === 'settled' && open.has(entry.batch)) settled.push(entry)
    else if (entry.kind === 'undo') for (const call of entry.calls) rolledBack.add(call)
    else if (entry.kind === 'redo') for (const call of entry.calls) rolledBack.delete(call)
  }
  const kept = settled.filter(({ execution: call }) => !rolledBack.has(call))
  const changes = netChanges(
    kept.flatMap((one) => one.changes),
    log.key.root,
  ).map(({ path, is }) => ({ path, change: is }))
  return {
    calls,
    ended: settled.length,
    changes: changes.toSorted((one, other) => (one.path < other.path ? -1 : 1)),
  }
}

const MOST_NAMED = 20

/** The same as the end of a sentence, for a conversation that ended with its process. */
export function describeDelegated(execution: string, log: Log): string {
  return `its conversation ended with the process that held it${describeDone(readDelegatedRecord(execution, log))}`
}

/** What was done, as words that follow others. */
export function describeDone({ calls, ended, changes }: DelegatedRecord): string {
  const open = ended === calls ? '' : `, ${calls - ended} of them without a result`
  const named = changes.slice(0, MOST_NAMED).map(({ path, change }) => `${change} ${showPath(path)}`)
  const more = changes.length > MOST_NAMED ? ` and ${changes.length - MOST_NAMED} more files` : ''
  const files = named.length === 0 ? 'no file changed' : `${named.join(', ')}${more}`
  return `; it had made ${calls} ${calls === 1 ? 'call' : 'calls'}${open}, and ${files}`
}
