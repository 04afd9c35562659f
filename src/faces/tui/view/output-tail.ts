import { sanitise } from '../../../core/text/display/sanitise.ts'
import type { SafeText } from '../../../core/text/display/sanitise.ts'

/** The last output of a running command. */
export interface OutputTail {
  /** Unsanitized; sanitized when drawn. */
  readonly raw: string
  /** The total number of lines. */
  readonly lines: number
}

export const NO_OUTPUT: OutputTail = { raw: '', lines: 0 }

/** Longer lines are truncated, because drawing them would be slow. */
const LINE_CHARS = 400
const NOTHING = sanitise('')

/** Adds a chunk and keeps at most this many lines. */
export function appendOutput(tail: OutputTail, chunk: string, maxLines: number): OutputTail {
  const joined = tail.raw + chunk
  const lines = tail.lines + countLineFeeds(chunk)
  const most = maxLines * LINE_CHARS
  if (joined.length <= most) return { raw: joined, lines }
  return { raw: lastLines(joined.slice(-most), maxLines + 1), lines }
}

/** The lines to show, oldest first. Those before the last `seen` ones are left empty, which saves work. */
export function tailLines(tail: OutputTail, maxLines: number, seen = Infinity): readonly SafeText[] {
  if (tail.raw === '') return []
  const raw = tail.raw.endsWith('\n') ? tail.raw.slice(0, -1) : tail.raw
  const lines = lastLines(raw, maxLines).split('\n')
  const from = lines.length - seen
  return lines.map((line, index) =>
    index < from
      ? NOTHING
      : (sanitise(overwritten(line).slice(0, LINE_CHARS)).replaceAll('\n', ' ') as SafeText),
  )
}

/** How many lines came before the visible ones. */
export function hiddenLines(tail: OutputTail, maxLines: number): number {
  const isUnfinished = tail.raw !== '' && !tail.raw.endsWith('\n')
  return Math.max(0, tail.lines + (isUnfinished ? 1 : 0) - maxLines)
}

/** The final text of a line that overwrites itself, as progress bars do. */
function overwritten(line: string): string {
  const text = line.endsWith('\r') ? line.slice(0, -1) : line
  return text.slice(text.lastIndexOf('\r') + 1)
}

function lastLines(text: string, count: number): string {
  let at = text.length
  for (let found = 0; found < count; found++) {
    at = at === 0 ? -1 : text.lastIndexOf('\n', at - 1)
    if (at === -1) return text
  }
  return text.slice(at + 1)
}

function countLineFeeds(text: string): number {
  let count = 0
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) count++
  return count
}
