import type { ConversationEvent } from '../events.ts'

/** Tells an event to whoever listens. */
export type Emit = (event: ConversationEvent) => void

/**
 * Work that tells events, as an iteration over them. Work does not wait for a slow listener: output that piles up is
 * put together and nothing is dropped. A listener that leaves stops the work, and has left when it has ended.
 */
export async function* streamEvents(
  work: (emit: Emit) => Promise<void>,
  stop: AbortController,
): AsyncGenerator<ConversationEvent> {
  const queue = openQueue()
  const working = work(queue.put).finally(queue.close)
  // Thrown again below, where it is waited for.
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

/** Neighbouring output of one call as one event. */
function join(last: ConversationEvent | undefined, next: ConversationEvent): ConversationEvent | null {
  if (last?.event !== 'output' || next.event !== 'output') return null
  if (last.id !== next.id || last.stream !== next.stream) return null
  return { ...last, chunk: last.chunk + next.chunk }
}
