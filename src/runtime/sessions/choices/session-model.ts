import { modelNote, readModelNote } from '../../../journal/entries/model-note.ts'
import type { ModelAddress } from '../../../journal/entries/model-note.ts'
import type { LogReader, SessionLog, SessionReader } from '../../../journal/log.ts'
import { findNewestSealed, isToRecord, relyOnNewest, sealNext } from './newest-sealed.ts'
import type { ChoiceKind } from './newest-sealed.ts'

const MODELS: ChoiceKind<ModelAddress> = { name: 'model', kind: 'note', read: readModelNote }

/**
 * The last model of a session; null if there was none. Keys are sent to it, so a note that another program wrote does
 * not count, and neither does the name of a model in a message.
 */
export function readModel(log: Pick<LogReader, 'newestFirst' | 'sealOf'>): ModelAddress | null {
  return findNewestSealed(log, MODELS)?.is ?? null
}

/** The model to go on with: none if the log does not show which was the last. */
export function relyOnModel(
  log: Pick<SessionReader, 'newestFirst' | 'sealOf' | 'verifies'>,
): ModelAddress | null {
  const relied = relyOnNewest(log, MODELS)
  return relied.ok ? (relied.newest?.is ?? null) : null
}

/** Records the model of a session, unless it is on record. */
export function noteModel(log: SessionLog, address: ModelAddress): void {
  const isSame = ({ model, baseUrl }: ModelAddress): boolean =>
    model === address.model && baseUrl === address.baseUrl
  if (!isToRecord(log, MODELS, isSame)) return
  const entry = modelNote(address, sealNext(log, MODELS, address))
  log.append({ entries: [entry], reliance: 'recorded' })
}
