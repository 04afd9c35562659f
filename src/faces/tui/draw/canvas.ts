import { sanitise } from '../../../core/text/display/sanitise.ts'
import type { Surface } from '../../../terminal/approval-screen.ts'
import { breakWords, columnsOf, truncateEnd } from '../../../terminal/fit-rows.ts'

/** What drawing needs. */
export interface Canvas extends Surface {
  /** Epoch milliseconds, for running calls. */
  readonly now: number
  /** Whether animation is off. */
  readonly isStill: boolean
  readonly isAscii: boolean
  /** What opens a call; Tab if absent. */
  readonly opensWith?: string
}

/** Sanitized text from outside, with tabs as blanks so that widths can be counted. */
export function plain(text: string): string {
  return sanitise(text).replaceAll('\t', '    ')
}

/** The same on one line, with everything visible. */
export function plainLine(text: string): string {
  return sanitise(text, { oneLine: true })
}

/** Truncates a row that is too wide. */
export function fit(row: string, columns: number): string {
  return truncateEnd(row, Math.max(1, columns))
}

/** Wraps text behind a margin; keeps leading blanks. */
export function wrap(text: string, columns: number, margin = ''): readonly string[] {
  const room = Math.max(8, columns - columnsOf(margin))
  return text.split('\n').flatMap((line) => breakWords(line, room).map((row) => margin + row))
}

/** A row with text at both ends; the left is truncated, or the right dropped if the left would get too short. */
export function spread(left: string, right: string, columns: number): string {
  const room = columns - columnsOf(right) - 1
  if (right === '' || room < columns / 3) return fit(left, columns)
  const shown = fit(left, room)
  return shown + ' '.repeat(columns - columnsOf(shown) - columnsOf(right)) + right
}

const FRAMES = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'] as const
const ASCII_FRAMES = ['|', '/', '-', '\\'] as const

/** How long one frame of the spinner lasts. */
export const FRAME_MS = 120

/** The spinner. */
export function spinner({ now, isStill, isAscii }: Canvas): string {
  if (isStill) return '»'
  const frames = isAscii ? ASCII_FRAMES : FRAMES
  return frames[Math.floor(now / FRAME_MS) % frames.length] ?? '»'
}

/** A human-readable duration. */
export function showDuration(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`
  if (ms < 60_000) return `${(ms / 1000).toFixed(1)} s`
  const minutes = Math.floor(ms / 60_000)
  return `${minutes} min ${Math.floor((ms % 60_000) / 1000)} s`
}
