import { digest } from '../../host/system/hash.ts'
import type { Digest, SessionKey } from '../entries/entry.ts'

/** What stands before the first entry of every session. */
export const CHAIN_START: Digest = '0'.repeat(64)

/** A session's name in hashes and file names: nothing in a root or a name can make two sessions look alike. */
export function sessionId({ root, name }: SessionKey): string {
  return digest(JSON.stringify([root, name]))
}

/** An entry's hash: it stands for everything before it, and for its session and place. `body` is its JSON as stored. */
export function chainHash(previous: Digest, session: string, seq: number, at: number, body: string): Digest {
  return digest(`${previous}\n${session}\n${seq}\n${at}\n${body}`)
}
