import { colourCode } from '../../../terminal/colour-code.ts'
import { gutterOf, numberDiff } from '../../../terminal/number-diff.ts'
import type { DiffRow } from '../../../terminal/number-diff.ts'
import type { Style } from '../../../terminal/paint.ts'
import type { ShownChange } from '../view/view.ts'
import { fit, plain } from './canvas.ts'
import type { Canvas } from './canvas.ts'

const STYLES: Readonly<Record<DiffRow['is'], Style | null>> = {
  file: 'bold',
  hunk: 'dim',
  same: null,
  added: 'green',
  removed: 'red',
  other: 'dim',
}

/**
 * Draws changes with line numbers, behind a bar so that file content cannot pass for text of Tongs; limits the rows and
 * counts the rest. A file is named unless the row above does.
 */
export function drawChanges(
  changes: readonly ShownChange[],
  canvas: Canvas,
  { most, isNamed, way }: { readonly most: number; readonly isNamed: boolean; readonly way: string },
): readonly string[] {
  const rows = changes.flatMap((change) => rowsOf(change, isNamed))
  const width = gutterOf(rows)
  const shown = rows.length > most ? rows.slice(0, most - 1) : rows
  const drawn = shown.map((row) => barRow(paintRow(row, width, canvas), canvas))
  const missing = rows.length - shown.length
  return missing === 0
    ? drawn
    : [...drawn, barRow(canvas.paint('dim', `… ${missing} more lines${way}`), canvas)]
}

/** How many rows changes have, drawn in full and with their files. */
export function countChangeRows(changes: readonly ShownChange[]): number {
  return changes.reduce((sum, change) => sum + rowsOf(change, false).length, 0)
}

const known = new WeakMap<ShownChange, readonly DiffRow[]>()

function rowsOf(change: ShownChange, isNamed: boolean): readonly DiffRow[] {
  const { path, is, diff, before, after } = change
  if ((after ?? before)?.kind === 'folder') return [lineOf(`${is}: ${path}/`)]
  if (diff === null) return [lineOf(`${is}: ${path} (its contents are not shown)`)]
  if (diff === '') return [lineOf(`${is}: ${path}`)]
  const rows = known.get(change) ?? numberDiff(diff.trimEnd().split('\n'))
  known.set(change, rows)
  return rows.filter(
    (row, index) => (row.is !== 'hunk' || rows[index - 1]?.is !== 'file') && (row.is !== 'file' || !isNamed),
  )
}

function lineOf(text: string): DiffRow {
  return { is: 'other', text, number: null, line: 0, file: null }
}

function paintRow({ is, text, number, file }: DiffRow, width: number, { paint }: Canvas): string {
  const line = is === 'hunk' ? '…'.padStart(width) : plain(text).replaceAll('\n', ' ')
  const gutter = number === null ? '' : `${paint('dim', String(number).padStart(width))} `
  const style = STYLES[is]
  if (number !== null && file !== null)
    return (
      gutter + colourCode(line.slice(0, 1), '', paint, style) + colourCode(line.slice(1), file, paint, style)
    )
  return gutter + (style === null ? line : paint(style, line))
}

/** One row behind a bar. */
export function barRow(text: string, { columns, paint }: Canvas): string {
  return fit(`  ${paint('dim', '│')} ${text}`, columns)
}
