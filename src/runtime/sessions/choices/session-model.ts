import { modelNote, readModelNote } from '../../../journal/entries/model-note.ts'
import type { ModelAddress } from '../../../journal/entries/model-note.ts'
import type { LogReader, SessionLog } from '../../../journal/log.ts'
import { findNewestSealed, sealNext } from './newest-sealed.ts'
import type { ChoiceKind, Seal } from './newest-sealed.ts'

const MODELS: ChoiceKind<ModelAddress> = { name: 'model', kind: 'note', read: readModelNote }

/**
 * The last model of a session; null if there was none. Keys are sent to it, so a note that another program wrote does
 * not count, and neither does the name of a model in a message.
 */
export function readModel(log: Pick<LogReader, 'key' | 'newestFirst'>, seal: Seal): ModelAddress | null {
  return findNewestSealed(log, MODELS, seal)
}

/** Records the model of a session, unless it is on record. */
export function noteModel(log: SessionLog, address: ModelAddress, seal: Seal): void {
  const last = readModel(log, seal)
  if (last?.model === address.model && last.baseUrl === address.baseUrl) return
  const entry = modelNote(address, sealNext(log, MODELS, address, seal))
  log.append({ entries: [entry], reliance: 'recorded' })
}
