import type { Registry } from '../../../core/registry.ts'
import { readCompensation } from './compensation-note.ts'
import type { SettledEntry, StoredEntry } from '../../../journal/entries/entry.ts'
import type { LogReader } from '../../../journal/log.ts'
import type { Found } from '../select-calls.ts'

/** The part of a registry that tells which tools can take back what they did. */
export type Compensating = Pick<Registry, 'find' | 'names'>

/** Calls that did something outside the files which their tools can take back, and have not; newest first. */
export function findCompensable(
  log: Pick<LogReader, 'newestFirst' | 'about'>,
  registry: Compensating,
): readonly Found<SettledEntry>[] {
  // Most programs have no such tool, and then the log is not looked at.
  if (!hasCompensating(registry)) return []
  const found: Found<SettledEntry>[] = []
  for (const { entry: started } of log.newestFirst('started')) {
    if (started.kind !== 'started' || started.effect !== 'external') continue
    const about = log.about(started.execution)
    const ended = about.find(({ entry }) => entry.kind === 'settled')
    if (ended?.entry.kind !== 'settled' || ended.entry.error !== null) continue
    if (!canCompensate(ended.entry.name, registry) || isTakenBack(about)) continue
    found.push({ found: ended.entry, seq: ended.seq, at: ended.at })
  }
  return found.toSorted((one, other) => other.seq - one.seq)
}

/** Whether any tool can take back what it did. */
export function hasCompensating(registry: Compensating): boolean {
  return registry.names.some((name) => canCompensate(name, registry))
}

/** Whether the taking back of a call was begun, and its end is not on record. */
export function isCompensationOpen(about: readonly StoredEntry[]): boolean {
  const last = about.findLast(({ entry }) => readCompensation(entry) !== null || isUndoOutside(entry))
  return last !== undefined && readCompensation(last.entry) === 'started'
}

/** Whether a tool has taken back what the call did. */
export function isTakenBack(about: readonly StoredEntry[]): boolean {
  return about.some(({ entry }) => isUndoOutside(entry))
}

function isUndoOutside(entry: StoredEntry['entry']): boolean {
  return entry.kind === 'undo' && entry.outside !== undefined
}

function canCompensate(name: string, registry: Compensating): boolean {
  return (registry.find(name)?.compensate ?? null) !== null
}
