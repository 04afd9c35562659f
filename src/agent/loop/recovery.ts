import type { InterruptedBatch } from '../../pipeline/after/recover.ts'
import type { InterruptedCall, Recovery } from '../conversation.ts'
import { textOf } from '../context/message-parts.ts'
import type { Draft } from '../log/transcript.ts'

/** What an interrupted process left, as people are asked about it. */
export function describeRecovery(draft: Draft | null, batches: readonly InterruptedBatch[]): Recovery {
  return {
    text: draft === null ? null : textOf(draft.parts),
    calls: batches.flatMap(({ kind, calls }) =>
      calls.map((call): InterruptedCall => (kind === 'received' ? { ...call, status: 'received' } : call)),
    ),
  }
}
