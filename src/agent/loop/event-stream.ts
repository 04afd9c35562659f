import type { ConversationEvent } from '../events.ts'

/** Passes an event to the listener. */
export type Emit = (event: ConversationEvent) => void

/**
 * Turns work that emits events into an iteration over them. The work does not wait for a slow listener: pending output
 * is merged and nothing is dropped. A listener that stops early stops the work and waits for it to end.
 */
export async function* streamEvents(
  work: (emit: Emit) => Promise<void>,
  stop: AbortController,
): AsyncGenerator<ConversationEvent> {
  const queue = openQueue()
  const working = work(queue.put).finally(queue.close)
  // Rethrown below, where it is awaited.
  working.catch(() => undefined)
  try {
    for (let next = await queue.next(); next !== null; next = await queue.next()) yield next
    await working
  } finally {
    stop.abort()
    await working.catch(() => undefined)
  }
}

function openQueue() {
  const waiting: ConversationEvent[] = []
  let isClosed = false
  let wakeUp: (() => void) | null = null

  function wake(): void {
    wakeUp?.()
    wakeUp = null
  }

  return {
    put(event: ConversationEvent): void {
      const joined = join(waiting.at(-1), event)
      if (joined === null) waiting.push(event)
      else waiting[waiting.length - 1] = joined
      wake()
    },
    close(): void {
      isClosed = true
      wake()
    },
    /** The next event, or null after the last one. */
    async next(): Promise<ConversationEvent | null> {
      if (waiting.length === 0 && !isClosed) {
        const { promise, resolve } = Promise.withResolvers<void>()
        wakeUp = resolve
        await promise
      }
      return waiting.shift() ?? null
    },
  }
}

/** Merges adjacent output of one call into one event. */
function join(last: ConversationEvent | undefined, next: ConversationEvent): ConversationEvent | null {
  if (last?.event !== 'output' || next.event !== 'output') return null
  // Labels are unique in a batch, and delegated conversations have batches of their own.
  if (last.id !== next.id || last.stream !== next.stream) return null
  if (last.delegate?.execution !== next.delegate?.execution) return null
  return { ...last, chunk: last.chunk + next.chunk }
}
