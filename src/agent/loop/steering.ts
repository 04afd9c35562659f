/** What a person says while a turn is at work. */
export interface Steering {
  /** Takes words in; calls that have not begun do not begin any more. */
  readonly say: (text: string) => void
  /** The words that the model has not heard yet, in order. */
  readonly waiting: () => readonly string[]
  /** The same, which it hears now. */
  readonly take: () => readonly string[]
  /** A batch begins: aborted at once where there are words already, or as soon as there are. */
  readonly beginBatch: () => AbortController
  readonly endBatch: () => void
}

/** Begins to listen to a person. */
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
