/** The output of a command that nobody has asked for yet. */
export interface UnreadOutput {
  readonly add: (text: string) => void
  /** Takes it; of very much, only the end is there, and a line says so. */
  readonly take: () => string
  readonly isEmpty: () => boolean
}

/** Keeps the end of a stream, up to a number of characters. */
export function createUnreadOutput(mostChars: number): UnreadOutput {
  let text = ''
  let dropped = 0
  return {
    add(piece) {
      text += piece
      // Cut rarely, so that many small pieces cost little.
      if (text.length <= 2 * mostChars) return
      dropped += text.length - mostChars
      text = text.slice(-mostChars)
    },
    take() {
      const left = dropped + Math.max(0, text.length - mostChars)
      const shown = text.slice(-mostChars).toWellFormed()
      text = ''
      dropped = 0
      return left === 0 ? shown : `... [${left} characters left out] ...\n${shown}`
    },
    isEmpty: () => text === '',
  }
}
