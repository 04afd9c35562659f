import { Buffer } from 'node:buffer'

/** Receives the parsed output of ripgrep. */
export interface RipgrepReader {
  /** A file with matches, its path as Latin-1; return false to skip its rows. */
  readonly file: (latin1Path: string) => boolean
  /** One match: its line, from 1, where it begins in the file, and its bytes. */
  readonly row: (line: number, offset: number, text: Uint8Array) => 'more' | 'next_file' | 'stop'
}

const NUL = 0x00
const LF = 0x0a
const CR = 0x0d
const COLON = 0x3a
const ZERO = 0x30

/** A remark about a binary file, which replaces or follows its path and rows. */
const REMARK =
  /^[^]*: (?:WARNING: stopped searching binary file after match|binary file matches) \(found [^\n]*\)\r?\n(?:\r?\n)?/

/**
 * Parses the output as it arrives: a path that ends with NUL, then a row `LINE:OFFSET:TEXT` for each match, then an
 * empty line. Paths may contain any other byte, also line feeds; rows end with CR LF, other lines with either.
 */
export class RipgrepOutput {
  readonly #reader: RipgrepReader
  #rest: Buffer | null = null
  #isInFile = false
  #isWanted = false
  #isStopped = false

  constructor(reader: RipgrepReader) {
    this.#reader = reader
  }

  /** Parses the next bytes; false when no more are wanted. */
  push(chunk: Buffer): boolean {
    const bytes = this.#rest === null ? chunk : Buffer.concat([this.#rest, chunk])
    let at = 0
    while (!this.#isStopped) {
      const end = bytes.indexOf(this.#isInFile ? LF : NUL, at)
      if (end === -1) break
      if (this.#isInFile) this.#takeRow(bytes, at, end)
      else this.#takePath(bytes.toString('latin1', at, end))
      at = end + 1
    }
    this.#rest = at === bytes.length ? null : bytes.subarray(at)
    return !this.#isStopped
  }

  #takePath(printed: string): void {
    const path = printed.includes('\n') ? printed.replace(REMARK, '') : printed
    this.#isInFile = true
    this.#isWanted = this.#reader.file(path.startsWith('./') ? path.slice(2) : path)
  }

  #takeRow(bytes: Buffer, from: number, lineEnd: number): void {
    const end = bytes[lineEnd - 1] === CR && lineEnd > from ? lineEnd - 1 : lineEnd
    if (end === from) {
      this.#isInFile = false
      return
    }
    if (!this.#isWanted) return
    const colon = bytes.indexOf(COLON, from)
    const second = bytes.indexOf(COLON, colon + 1)
    const line = readNumber(bytes, from, colon)
    const offset = readNumber(bytes, colon + 1, second)
    // Anything else is a remark.
    if (colon === -1 || second === -1 || second >= lineEnd || line === null || offset === null) return
    const step = this.#reader.row(line, offset, bytes.subarray(second + 1, end))
    this.#isStopped = step === 'stop'
    this.#isWanted = step === 'more'
  }
}

function readNumber(bytes: Buffer, from: number, end: number): number | null {
  if (end <= from) return null
  let value = 0
  for (let at = from; at < end; at++) {
    const digit = (bytes[at] ?? 0) - ZERO
    if (digit < 0 || digit > 9) return null
    value = value * 10 + digit
  }
  return value
}
