import type { LineRange } from '../../core/powers.ts'
import { invisibleNotes } from '../../core/text/display/invisible.ts'
import { byteLength, TRUNCATION_MARKER } from '../../core/text/truncate.ts'
import { countLines, decodeText, endOfCharacter } from './bytes.ts'

const LF = 0x0a
/** More notes say nothing new about a text full of such characters. */
const MAX_NOTES = 20
const MARKER_BYTES = byteLength(TRUNCATION_MARKER)

/** A part of a file's text: its byte offsets, and the number of its first line. */
export interface Slice {
  readonly from: number
  readonly to: number
  readonly startLine: number
  /** Whether the text ends before the requested range does. */
  readonly isCut: boolean
}

/** A text that fits the result together with the notes after it. */
export interface FittedText {
  readonly content: string
  /** The byte offset where it ends. */
  readonly to: number
  readonly truncated: boolean
  /** The lines shown; the last one may be incomplete. */
  readonly range: LineRange
  /** The lines shown completely. */
  readonly wholeLines: LineRange
  readonly notes: readonly string[]
}

/** Cuts a slice until the marker and the notes fit the result too. */
export function fitText(bytes: Uint8Array, slice: Slice, maxBytes: number): FittedText {
  const { from, startLine } = slice
  const room = Math.max(0, maxBytes - MARKER_BYTES)
  // Even in a very small result at least half is text; the framework then cuts the notes.
  const least = Math.floor(room / 2)
  let { to, isCut } = slice
  let tailBytes = 0
  for (;;) {
    const mostBytes = isCut ? room - tailBytes : maxBytes - tailBytes
    if (to - from > mostBytes) {
      to = endOfCharacter(bytes, from + Math.min(to - from, Math.max(room - tailBytes, least)))
      isCut = true
    }
    const content = decodeText(bytes.subarray(from, to))
    const notes = noteInvisible(content, startLine)
    const needed = notes.length === 0 ? 0 : byteLength(noteLine(notes))
    if (needed <= tailBytes || to - from <= least) {
      const shown = bytes.subarray(from, to)
      const end_line = startLine + countLines(shown) - 1
      const endsInPart = isCut && shown.length > 0 && shown.at(-1) !== LF
      const range = { start_line: startLine, end_line }
      const wholeLines = { start_line: startLine, end_line: endsInPart ? end_line - 1 : end_line }
      return { content, to, truncated: isCut, range, wholeLines, notes }
    }
    tailBytes = needed
  }
}

/** Room for the line that says where to go on. */
const NEXT_BYTES = 100

/** A text cut after a whole line, with room to say where to go on; null if not even one line fits. */
export function fitPage(bytes: Uint8Array, slice: Slice, maxBytes: number): FittedText | null {
  const fitted = fitText(bytes, slice, maxBytes - NEXT_BYTES)
  const { range, wholeLines } = fitted
  if (wholeLines.end_line < wholeLines.start_line) return null
  if (range.end_line === wholeLines.end_line) return fitted
  const to = bytes.lastIndexOf(LF, fitted.to - 1) + 1
  return fitText(bytes, { ...slice, to, isCut: true }, maxBytes - NEXT_BYTES)
}

/** The line after a text that names its invisible characters; empty if there are none. */
export function noteLine(notes: readonly string[]): string {
  return notes.length === 0 ? '' : `\n[note: ${notes.join('; ')}]`
}

function noteInvisible(content: string, startLine: number): readonly string[] {
  // The file's own byte order mark is not part of the text, so one at the start is hidden; the added line makes it
  // visible.
  return invisibleNotes(`\n${content}`, { max: MAX_NOTES, firstLine: startLine - 1 })
}
