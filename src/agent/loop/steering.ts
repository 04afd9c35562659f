/** What the user says while a turn is running. */
export interface Steering {
  /** Adds text; calls that have not started are skipped. */
  readonly say: (text: string) => void
  /** Text that the model has not received yet, in order. */
  readonly waiting: () => readonly string[]
  /** The same, and removes it. */
  readonly take: () => readonly string[]
  /** Starts a batch; its controller aborts as soon as there is text. */
  readonly beginBatch: () => AbortController
  readonly endBatch: () => void
}

/** Creates an empty queue of user text. */
export function openSteering(): Steering {
  let words: string[] = []
  let batch: AbortController | null = null
  return {
    say: (text) => {
      words.push(text)
      batch?.abort()
    },
    waiting: () => words,
    take: () => {
      const said = words
      words = []
      return said
    },
    beginBatch: () => {
      batch = new AbortController()
      if (words.length > 0) batch.abort()
      return batch
    },
    endBatch: () => {
      batch = null
    },
  }
}
