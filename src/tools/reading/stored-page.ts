import type { LineRange, OpenedFile } from '../../core/powers.ts'
import { endOfCharacter, findLines, LF } from './bytes.ts'
import type { Slice } from './fit-text.ts'

/** How much of a file is in memory while its lines are counted. */
const STRIDE_BYTES = 262_144

/** Some lines of a file of any length: their bytes, and their offsets in those bytes. */
export interface Page {
  readonly bytes: Uint8Array
  readonly slice: Slice
}

/** Whether a path names something that Tongs stores itself, which other programs cannot change or make endless. */
export function isStoredPath(path: string): boolean {
  return path.startsWith('tongs:')
}

/**
 * Reads a range of lines anywhere in a file, up to a number of bytes; if there is no such range, returns the number
 * of the last line.
 */
export function readPage(
  file: OpenedFile,
  wanted: LineRange,
  maxBytes: number,
): { readonly ok: true; readonly page: Page } | { readonly ok: false; readonly lastLine: number } {
  const start = findStart(file, wanted.start_line)
  if (start.at === null) return { ok: false, lastLine: start.lines }
  const bytes = file.readAt(start.at, maxBytes)
  const found = findLines(bytes, 0, { start_line: 1, end_line: wanted.end_line - wanted.start_line + 1 })
  const isCut = found.isPastEnd && start.at + bytes.length < file.size
  const to = isCut ? endOfCharacter(bytes, found.to) : found.to
  return { ok: true, page: { bytes, slice: { from: 0, to, startLine: wanted.start_line, isCut } } }
}

/** Where a line begins; if there are fewer lines, null and their number. */
function findStart(
  file: OpenedFile,
  line: number,
): { readonly at: number } | { readonly at: null; readonly lines: number } {
  let ended = 0
  let lastByte = LF
  if (line === 1 && file.size > 0) return { at: 0 }
  for (let at = 0; at < file.size; at += STRIDE_BYTES) {
    const bytes = file.readAt(at, STRIDE_BYTES)
    for (let lf = bytes.indexOf(LF); lf !== -1; lf = bytes.indexOf(LF, lf + 1)) {
      ended += 1
      // A line ending at the very end does not begin another line.
      if (ended === line - 1 && at + lf + 1 < file.size) return { at: at + lf + 1 }
    }
    lastByte = bytes.at(-1) ?? lastByte
  }
  return { at: null, lines: lastByte === LF ? ended : ended + 1 }
}
