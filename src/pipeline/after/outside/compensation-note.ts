import { isJsonObject } from '../../../core/json/value.ts'
import type { Entry } from '../../../journal/entries/entry.ts'

/** What notes are about that record how a tool takes back what a call did outside the files. */
const COMPENSATION = 'compensation'

/** Records that a tool begins to take back what a call did. */
export function compensationStarted(execution: string): Entry {
  return { kind: 'note', about: COMPENSATION, execution, data: { event: 'started' } }
}

/** Records that it could not. */
export function compensationFailed(execution: string): Entry {
  return { kind: 'note', about: COMPENSATION, execution, data: { event: 'failed' } }
}

/** What such a note says; null if it is about something else. */
export function readCompensation(entry: Entry): 'started' | 'failed' | null {
  if (entry.kind !== 'note' || entry.about !== COMPENSATION || !isJsonObject(entry.data)) return null
  return entry.data['event'] === 'failed' ? 'failed' : 'started'
}
