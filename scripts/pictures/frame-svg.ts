import { readFrame } from './ansi-frame.ts'
import type { Run } from './ansi-frame.ts'

const CELL = { width: 8.4, height: 18, baseline: 13.5 } as const
const MARGIN = 12
const GROUND = '#1c1f26'
const INK = '#d5d9e0'
const FONTS = "ui-monospace, 'DejaVu Sans Mono', Menlo, Consolas, monospace"

/** What a picture is about, and how wide it is. */
export interface Picture {
  /** Read aloud in place of the picture. */
  readonly title: string
  readonly columns: number
}

/** Prints a frame of a terminal, with its colours, as a picture for a page. */
export function renderFrame(frame: string, picture: Picture): string {
  const rows = readFrame(frame)
  return renderPicture(rows.flatMap(renderRow), rows.length, picture)
}

/** Puts drawn rows on their ground; `style` says when each of them is there. */
export function renderPicture(
  drawn: readonly string[],
  rowCount: number,
  { title, columns }: Picture,
  style: readonly string[] = [],
): string {
  const [width, height] = [columns * CELL.width + 2 * MARGIN, rowCount * CELL.height + 2 * MARGIN].map(round)
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="${escape(title)}">`,
    `<title>${escape(title)}</title>`,
    ...(style.length === 0 ? [] : ['<style>', ...style, '</style>']),
    `<rect width="100%" height="100%" rx="8" fill="${GROUND}"/>`,
    `<g font-family="${FONTS}" font-size="14" fill="${INK}" xml:space="preserve">`,
    ...drawn,
    '</g>',
    '</svg>',
    '',
  ].join('\n')
}

/** Draws the row of a frame that is so many rows below the first. */
export function renderRow(row: readonly Run[], at: number): readonly string[] {
  return row.flatMap((run) => renderRun(run, MARGIN + at * CELL.height))
}

function renderRun(run: Run, top: number): readonly string[] {
  const { text, column, columns, isInverse } = run
  const fore = (isInverse ? run.back : run.fore) ?? (isInverse ? GROUND : null)
  const back = (isInverse ? run.fore : run.back) ?? (isInverse ? INK : null)
  const [left, width] = [MARGIN + column * CELL.width, columns * CELL.width].map(round)
  const parts: string[] = []
  if (back !== null)
    parts.push(
      `<rect x="${left}" y="${round(top)}" width="${width}" height="${CELL.height}" fill="${back}"/>`,
    )
  if (run.isUnderlined)
    parts.push(
      `<rect x="${left}" y="${round(top + CELL.baseline + 2)}" width="${width}" height="1" fill="${fore ?? INK}"/>`,
    )
  if (text.trim() !== '') parts.push(renderText(run, fore, top))
  return parts
}

/** The letters alone: blanks around them would only be stretched. */
function renderText({ text, column, columns, ...look }: Run, fore: string | null, top: number): string {
  const before = text.length - text.trimStart().length
  const after = text.length - text.trimEnd().length
  const left = round(MARGIN + (column + before) * CELL.width)
  const attributes = [
    `x="${left}"`,
    `y="${round(top + CELL.baseline)}"`,
    // Columns stay below each other, whatever font there is.
    `textLength="${round((columns - before - after) * CELL.width)}"`,
    ...(fore === null ? [] : [`fill="${fore}"`]),
    ...(look.isBold ? ['font-weight="bold"'] : []),
    ...(look.isItalic ? ['font-style="italic"'] : []),
    ...(look.isFaint ? ['opacity="0.65"'] : []),
  ]
  return `<text ${attributes.join(' ')}>${escape(text.trim())}</text>`
}

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }

function escape(text: string): string {
  return text.replace(/[&<>"]/g, (sign) => ENTITIES[sign] ?? sign)
}

function round(value: number): number {
  return Math.round(value * 10) / 10
}
