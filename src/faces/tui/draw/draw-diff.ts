import type { ShownChange } from '../view/view.ts'
import { fit, plain } from './canvas.ts'
import type { Canvas } from './canvas.ts'

/** Draws a diff behind a bar, so that file content cannot pass for text of Tongs; limits the rows and counts the rest. */
function drawDiff(diff: string, canvas: Canvas, most: number): readonly string[] {
  const lines = diff.trimEnd().split('\n')
  const shown = lines.length > most ? lines.slice(0, most - 1) : lines
  const rows = shown.map((line) => barRow(paintLine(plain(line).replaceAll('\n', ' '), canvas), canvas))
  const missing = lines.length - shown.length
  return missing === 0 ? rows : [...rows, barRow(canvas.paint('dim', `… ${missing} more lines`), canvas)]
}

/** Draws changes as diffs where possible. */
export function drawChanges(
  changes: readonly ShownChange[],
  canvas: Canvas,
  most: number,
): readonly string[] {
  const texts = changes.map(describeChange)
  return drawDiff(texts.join('\n'), canvas, most)
}

function describeChange({ path, is, diff }: ShownChange): string {
  if (diff === null) return `${is}: ${path} (its contents are not shown)`
  return diff === '' ? `${is}: ${path}` : diff.trimEnd()
}

/** One row behind a bar. */
export function barRow(text: string, { columns, paint }: Canvas): string {
  return fit(`  ${paint('dim', '│')} ${text}`, columns)
}

function paintLine(line: string, { paint }: Canvas): string {
  if (line.startsWith('+++') || line.startsWith('---')) return paint('bold', line)
  if (line.startsWith('@@')) return paint('cyan', line)
  if (line.startsWith('+')) return paint('green', line)
  return line.startsWith('-') ? paint('red', line) : line
}
