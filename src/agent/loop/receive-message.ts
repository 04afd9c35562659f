import { ModelError } from '../../model/model-client.ts'
import type { ModelRequest } from '../../model/model-client.ts'
import { withRetries } from '../../model/with-retries.ts'
import type { RetryOptions } from '../../model/with-retries.ts'
import { MessageCollector } from './message-collector.ts'
import type { CollectedMessage, CollectorOptions } from './message-collector.ts'

/** What receiving a message needs. */
export interface ReceiveOptions extends CollectorOptions {
  readonly signal: AbortSignal
  readonly retries: RetryOptions
}

/** How a message ended, with what came in of it. */
export type ReceivedReply = CollectedMessage &
  ({ readonly is: 'whole' | 'cancelled' } | { readonly is: 'failed'; readonly error: ModelError })

/** Receives one message of the model. Its pieces, and above all its calls, are logged before the message is complete. */
export async function receiveMessage(request: ModelRequest, options: ReceiveOptions): Promise<ReceivedReply> {
  const { model, turn, log, emit, signal } = options
  const message = new MessageCollector(options)
  const client = withRetries(model, {
    ...options.retries,
    onRetry: ({ attempt, delayMs, error, hasHandedOut }) => {
      if (hasHandedOut) {
        message.restart()
        log.dropDraft(turn, error.code)
      }
      emit({
        event: 'retry',
        attempt,
        delay_ms: delayMs,
        is_void: hasHandedOut,
        message: error.message,
      })
    },
  })
  try {
    for await (const delta of client.stream(request, signal)) message.add(delta)
    message.finish()
    return { is: 'whole', ...message.collected() }
  } catch (thrown) {
    if (signal.aborted) {
      message.emitVoid()
      return { is: 'cancelled', ...message.collected() }
    }
    if (!(thrown instanceof ModelError)) throw thrown
    log.dropDraft(turn, thrown.code)
    return { is: 'failed', error: thrown, ...message.collected() }
  }
}
