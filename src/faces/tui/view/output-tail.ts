import { sanitise } from '../../../core/text/display/sanitise.ts'
import type { SafeText } from '../../../core/text/display/sanitise.ts'

/** The end of what a running command has printed; the rest is not kept. */
export interface OutputTail {
  /** As it came; made safe when it is drawn. */
  readonly raw: string
  /** How many lines there were in all. */
  readonly lines: number
}

export const NO_OUTPUT: OutputTail = { raw: '', lines: 0 }

/** Longer lines are cut: nobody reads them here, and they would cost as much as everything else. */
const LINE_CHARS = 400

/** Adds a chunk and keeps what may be shown of it: so many lines at most. */
export function appendOutput(tail: OutputTail, chunk: string, maxLines: number): OutputTail {
  const joined = tail.raw + chunk
  const lines = tail.lines + countLineFeeds(chunk)
  const most = maxLines * LINE_CHARS
  if (joined.length <= most) return { raw: joined, lines }
  return { raw: lastLines(joined.slice(-most), maxLines + 1), lines }
}

/** The lines to show, oldest first. */
export function tailLines(tail: OutputTail, maxLines: number): readonly SafeText[] {
  if (tail.raw === '') return []
  const raw = tail.raw.endsWith('\n') ? tail.raw.slice(0, -1) : tail.raw
  const lines = lastLines(raw, maxLines).split('\n')
  return lines.map(
    (line) => sanitise(overwritten(line).slice(0, LINE_CHARS)).replaceAll('\n', ' ') as SafeText,
  )
}

/** How many lines came before those that are shown. */
export function hiddenLines(tail: OutputTail, maxLines: number): number {
  const isUnfinished = tail.raw !== '' && !tail.raw.endsWith('\n')
  return Math.max(0, tail.lines + (isUnfinished ? 1 : 0) - maxLines)
}

/** A line that was written over, as progress bars do, shows what stands there last. */
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
