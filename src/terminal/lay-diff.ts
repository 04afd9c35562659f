import type { ApprovalRequest } from '../core/approval.ts'
import { findHeaderOf, pathInHeader } from '../core/text/diff-header.ts'
import { placesOf } from '../core/text/secrets/places.ts'
import { redactForApproval } from '../core/text/secrets/redact.ts'
import { describeHunk, gutterOf, numberDiff } from './number-diff.ts'
import type { DiffRow } from './number-diff.ts'
import type { Style } from './paint.ts'

/** A line of a diff as it is shown. */
export interface DiffLine {
  /** What stands before it. */
  readonly lead: string
  readonly text: string
  readonly style: Style | null
  /** The file whose line it is; absent if it is none. */
  readonly file?: string | null
}

/** A change that is asked about. */
export interface AskedDiff extends Pick<
  ApprovalRequest,
  'call' | 'names' | 'changes' | 'hunks' | 'summary' | 'kind'
> {
  readonly diff: string
}

/** How lines are laid out. */
interface DiffManner {
  readonly hasLineNumbers?: boolean
  readonly isAscii?: boolean
}

/** The size that a summary may end with. */
const SIZE = / \(\d+ bytes?\)$/

/** The lines to show, without secrets, and the file that one is about if a row above says so. */
export function layDiff(asked: AskedDiff, { hasLineNumbers, isAscii }: DiffManner) {
  const { diff, hunks, summary, kind } = asked
  const lines = diff.trimEnd().split('\n')
  const redacted = redactForApproval(diff, { places: placesOf(asked) }).split('\n')
  // A secret may begin with what is a mark of the diff.
  const shown = lines.map((line, index) => {
    const [text = '', mark = ''] = [redacted[index], /^[ +-]/.exec(line)?.[0]]
    return text.startsWith(mark) ? text : mark + text
  })
  const numbers = new Map(
    hunks === undefined || hunks.lines.length < 2
      ? []
      : hunks.lines.map((line, index) => [line, `[${index + 1}] `]),
  )
  if (hasLineNumbers === true) {
    const all = numberDiff(lines, shown)
    // The first hunk of a file begins below its name, and the row above names the only file.
    const files = all.filter(({ is }) => is === 'file')
    const named = summary.replace(SIZE, '')
    const isNamed = kind !== 'landing' && files.length === 1 && named.endsWith(` ${files[0]?.text ?? ''}`)
    const rows = all.filter(
      ({ is, line }, index) =>
        (is !== 'hunk' || numbers.has(line) || all[index - 1]?.is !== 'file') && (is !== 'file' || !isNamed),
    )
    return {
      lines: layNumbered(rows, numbers, isAscii === true ? '...' : '…'),
      fileAt: (index: number): string | null =>
        rows[index]?.is === 'file' ? null : (rows[index]?.file ?? null),
    }
  }
  return {
    // All lines of a text have a mark before them, so none of them can pass for a numbered one.
    lines: shown.map((text, index): DiffLine => ({
      lead: numbers.get(index) ?? '',
      text,
      style: styleOf(text),
    })),
    fileAt: (index: number): string | null => {
      const header = findHeaderOf(lines, index)
      return header === null ? null : pathInHeader(shown[header] ?? '', shown[header + 1] ?? '')
    },
  }
}

const STYLES: Readonly<Record<DiffRow['is'], Style | null>> = {
  file: 'bold',
  hunk: 'dim',
  same: null,
  added: 'green',
  removed: 'red',
  other: null,
}

/** Rows with line numbers; between hunks a row says that lines are missing. */
function layNumbered(
  rows: readonly DiffRow[],
  numbers: ReadonlyMap<number, string>,
  dots: string,
): readonly DiffLine[] {
  const width = gutterOf(rows)
  return rows.map(({ is, text, number, line, file }) => {
    const mark = numbers.get(line) ?? ''
    const gutter =
      number === null ? ' '.repeat(is === 'hunk' && mark === '' ? width : 0) : String(number).padStart(width)
    const words = is === 'hunk' ? (mark === '' ? dots : describeHunk(text)) : text
    const lead = mark + gutter + (number === null ? '' : ' ')
    return { lead, text: words, style: STYLES[is], file: number === null ? null : file }
  })
}

function styleOf(line: string): Style | null {
  if (line.startsWith('+')) return 'green'
  return line.startsWith('-') ? 'red' : null
}
