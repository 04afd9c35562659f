import { fit, plain, wrap } from '../draw/canvas.ts'
import type { Canvas } from '../draw/canvas.ts'
import { ONE_MOMENT } from './sheet.ts'

/** A question with yes and no, and what it is about. */
export interface Confirmation {
  readonly title: string
  readonly rows: readonly string[]
}

/** What a key means; null means nothing. Enter means nothing: it may have been on its way already. */
export function readConfirmKey(key: string): boolean | null {
  if (key === 'y') return true
  return key === 'n' || key === 'escape' ? false : null
}

/** Draws a question with yes and no. */
export function drawConfirmation(
  { title, rows }: Confirmation,
  canvas: Canvas,
  height: number,
  isListening: boolean,
): readonly string[] {
  const { paint, columns } = canvas
  const room = Math.max(1, height - 2)
  const all = rows.flatMap((row) => wrap(plain(row), columns, '   '))
  const shown =
    all.length > room ? [...all.slice(0, room - 1), `   … and ${all.length - room + 1} more`] : all
  return [
    paint('inverse', ` ${title} `),
    ...shown,
    paint('dim', isListening ? ' y yes · n no' : ONE_MOMENT),
  ].map((row) => fit(row, columns))
}
