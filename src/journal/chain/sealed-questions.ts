import { seal } from '../../host/system/hash.ts'
import type { SealKey } from '../../host/system/hash.ts'
import type { SessionKey } from '../entries/entry.ts'
import { sessionId } from './chain.ts'

/** Seals what is asked in a session: a question waits in the log, where another program can write at the open end. */
export function sealQuestion(session: SessionKey, text: string, key: SealKey): string {
  return seal(key, `tongs question 1\n${sessionId(session)}\n${text}`)
}
