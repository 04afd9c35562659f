import { byteLength } from '../../core/text/truncate.ts'

/** The beginning of a text that fits, in whole lines. */
export interface FirstPage {
  readonly text: string
  /** The number of the last line shown. */
  readonly shown: number
  readonly total: number
}

/** A longer line could not be paged through. */
const LONGEST_LINE = 2000

/** Breaks lines that are too long to be paged through, at blanks where there are some. */
export function breakLongLines(text: string): { readonly text: string; readonly isBroken: boolean } {
  const lines = text.split('\n')
  if (!lines.some((line) => line.length > LONGEST_LINE)) return { text, isBroken: false }
  return { text: lines.flatMap(breakLine).join('\n'), isBroken: true }
}

function breakLine(line: string): readonly string[] {
  const parts: string[] = []
  let from = 0
  while (line.length - from > LONGEST_LINE) {
    const blank = line.lastIndexOf(' ', from + LONGEST_LINE)
    const isPair = /[\uD800-\uDBFF]/.test(line[from + LONGEST_LINE - 1] ?? '')
    const to = blank > from + LONGEST_LINE / 2 ? blank + 1 : from + LONGEST_LINE - (isPair ? 1 : 0)
    parts.push(line.slice(from, to))
    from = to
  }
  return [...parts, line.slice(from)]
}

/** As many whole lines as fit into a number of bytes; at least a part of the first. */
export function firstPage(text: string, maxBytes: number): FirstPage {
  const lines = text.split('\n')
  let bytes = 0
  let shown = 0
  for (const line of lines) {
    bytes += byteLength(line) + 1
    if (bytes > maxBytes + 1) break
    shown += 1
  }
  return { text: lines.slice(0, shown).join('\n'), shown, total: lines.length }
}
