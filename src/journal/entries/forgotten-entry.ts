import type { ForgottenEntry } from './entry.ts'
import type { Erasure } from '../log.ts'

/** An entry about forgotten calls lists this many of them. */
const MAX_LISTED = 256

/** Says in the log what was erased. Of many calls that were meant by their place, the rest is counted. */
export function forgottenEntry(
  { why, executions, span }: Erasure,
  payloads: number,
  bytes: number,
): ForgottenEntry {
  if (span === null) return { kind: 'forgotten', why, payloads, bytes, executions }
  const listed = executions.slice(0, MAX_LISTED)
  const unlisted = executions.length - listed.length
  return {
    kind: 'forgotten',
    why,
    payloads,
    bytes,
    executions: listed,
    ...(unlisted === 0 ? {} : { unlisted }),
    span,
  }
}
