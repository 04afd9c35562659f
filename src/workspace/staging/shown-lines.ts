import type { LineRange } from '../../core/powers.ts'
import { digest } from '../../host/system/hash.ts'
import type { ShownLine } from '../../journal/entries/entry.ts'
import type { LedgerRow } from '../../journal/log.ts'

/** Where the ledger keeps the lines of a file that a search showed: beside the file, which was not read. */
export function shownLinesKey(absolute: string): string {
  return `${absolute}\0lines`
}

/** The file that a key of the ledger is about. */
export function fileOfKey(key: string): string {
  return key.split('\0')[0] ?? key
}

/** A line as the ledger keeps it: its number, and what stands for its text. */
export function shownLine(line: number, text: string): ShownLine {
  return { start_line: line, end_line: line, text: markOf(text) }
}

/** Whether all of these lines were shown with the text they have now. */
export function wereShown(row: LedgerRow | null, bytes: Uint8Array, wanted: readonly LineRange[]): boolean {
  if (row === null || row.ranges === null || wanted.length === 0) return false
  const known = new Set(row.ranges.map(({ start_line, text = '' }) => `${start_line} ${text}`))
  const lines = new TextDecoder('utf-8').decode(bytes).split('\n')
  return wanted.every(({ start_line, end_line }) => {
    for (let line = start_line; line <= end_line; line++) {
      const text = lines[line - 1]
      if (text === undefined || !known.has(`${line} ${markOf(text.replace(/\r$/, ''))}`)) return false
    }
    return true
  })
}

/** Enough of a digest that no other text fits by chance. */
const MARK_CHARS = 24

function markOf(text: string): string {
  return digest(text).slice(0, MARK_CHARS)
}
