const NEWLINE = 0x0a
const utf8 = new TextDecoder()

/** What becomes of the lines of a stream. */
export interface LineHandlers {
  /** Given without its end and the blanks around it; never empty. */
  readonly onLine: (line: string) => void
  /** A line became longer than it may be. What follows of it is not kept. */
  readonly onTooLong: () => void
}

/** Cuts a stream of bytes into lines, and keeps no more of a line than it may have. */
export class LineSplitter {
  readonly #mostBytes: number
  readonly #handlers: LineHandlers
  #parts: Uint8Array[] = []
  #bytes = 0

  constructor(mostBytes: number, handlers: LineHandlers) {
    this.#mostBytes = mostBytes
    this.#handlers = handlers
  }

  take(chunk: Uint8Array): void {
    let rest = chunk
    for (let end = rest.indexOf(NEWLINE); end !== -1; end = rest.indexOf(NEWLINE)) {
      this.#keep(rest.subarray(0, end))
      this.#endLine()
      rest = rest.subarray(end + 1)
    }
    this.#keep(rest)
  }

  #keep(part: Uint8Array): void {
    const wasWithin = this.#bytes <= this.#mostBytes
    this.#bytes += part.length
    if (this.#bytes <= this.#mostBytes) {
      if (part.length > 0) this.#parts.push(part)
      return
    }
    this.#parts = []
    if (wasWithin) this.#handlers.onTooLong()
  }

  #endLine(): void {
    const isWhole = this.#bytes <= this.#mostBytes
    const line = isWhole ? utf8.decode(Buffer.concat(this.#parts)).trim() : ''
    this.#parts = []
    this.#bytes = 0
    if (line !== '') this.#handlers.onLine(line)
  }
}
