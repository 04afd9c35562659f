import { sanitise } from '../../../core/text/display/sanitise.ts'
import type { Surface } from '../../../terminal/approval-screen.ts'
import { breakWords, columnsOf, truncateEnd } from '../../../terminal/fit-rows.ts'

/** What drawing needs to know. */
export interface Canvas extends Surface {
  /** Epoch milliseconds, for what runs. */
  readonly now: number
  /** Whether nothing may move by itself. */
  readonly isStill: boolean
  readonly isAscii: boolean
}

/** Text from outside, made safe, tabs as blanks so that widths can be counted. */
export function plain(text: string): string {
  return sanitise(text).replaceAll('\t', '    ')
}

/** The same on one line, everything visible. */
export function plainLine(text: string): string {
  return sanitise(text, { oneLine: true })
}

/** Cuts a row that is too wide. */
export function fit(row: string, columns: number): string {
  return truncateEnd(row, Math.max(1, columns))
}

/** Breaks text into rows behind a margin; blanks at the start of a line stay. */
export function wrap(text: string, columns: number, margin = ''): readonly string[] {
  const room = Math.max(8, columns - columnsOf(margin))
  return text.split('\n').flatMap((line) => breakWords(line, room).map((row) => margin + row))
}

/** A row with something at its right end; the left gives way, unless little would be left of it. */
export function spread(left: string, right: string, columns: number): string {
  const room = columns - columnsOf(right) - 1
  if (right === '' || room < columns / 3) return fit(left, columns)
  const shown = fit(left, room)
  return shown + ' '.repeat(columns - columnsOf(shown) - columnsOf(right)) + right
}

const FRAMES = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'] as const
const ASCII_FRAMES = ['|', '/', '-', '\\'] as const

/** How long the sign of something that runs stands still. */
export const FRAME_MS = 120

/** The sign of something that runs. */
export function spinner({ now, isStill, isAscii }: Canvas): string {
  if (isStill) return '»'
  const frames = isAscii ? ASCII_FRAMES : FRAMES
  return frames[Math.floor(now / FRAME_MS) % frames.length] ?? '»'
}

/** A duration for people. */
export function showDuration(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`
  if (ms < 60_000) return `${(ms / 1000).toFixed(1)} s`
  const minutes = Math.floor(ms / 60_000)
  return `${minutes} min ${Math.floor((ms % 60_000) / 1000)} s`
}
