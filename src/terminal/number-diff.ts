import { pathInHeader, readHunkStart } from '../core/text/diff-header.ts'

/** A row of a diff as people read it. */
export interface DiffRow {
  readonly is: 'file' | 'hunk' | 'same' | 'added' | 'removed' | 'other'
  /** With the sign of the diff before a line of a file. */
  readonly text: string
  /** The line number: in the new text, or in the old one for a removed line; null if it is not a line of a file. */
  readonly number: number | null
  /** The line of the diff that it comes from, counted from 0. */
  readonly line: number
  /** The file that the rows after this one are about; null if they name it themselves. */
  readonly file: string | null
}

const NO_FILE = '/dev/null'
const SIGNS = new Map([
  ['+', 'added'],
  ['-', 'removed'],
  [' ', 'same'],
] as const)

/**
 * Numbers the lines of a unified diff and joins the two lines of each file header. Lines of a text are counted off as
 * their hunk says, so that none of them can pass for a header. `shown` are the same lines without secrets.
 */
export function numberDiff(lines: readonly string[], shown: readonly string[] = lines): readonly DiffRow[] {
  const rows: DiffRow[] = []
  let file: string | null = null
  /** The lines that the hunk still has on both sides, and the numbers of the next ones. */
  let [old, fresh] = [0, 0]
  let [oldNumber, freshNumber] = [0, 0]
  let skipped = -1
  const shownAt = (line: number): string => shown[line] ?? ''
  for (const [line, text] of lines.entries()) {
    if (line === skipped) continue
    const is = old > 0 || fresh > 0 ? SIGNS.get(text.charAt(0) as '+' | '-' | ' ') : undefined
    if (is !== undefined) {
      rows.push({ is, text: shownAt(line), number: is === 'removed' ? oldNumber : freshNumber, line, file })
      if (is !== 'added') [old, oldNumber] = [old - 1, oldNumber + 1]
      if (is !== 'removed') [fresh, freshNumber] = [fresh - 1, freshNumber + 1]
      continue
    }
    const hunk = readHunkStart(text)
    const next = lines[line + 1] ?? ''
    if (hunk !== null) {
      ;({ old, fresh } = hunk)
      ;[oldNumber, freshNumber] = [hunk.oldStart, hunk.freshStart]
      rows.push({ is: 'hunk', text: shownAt(line), number: null, line, file })
    } else if (text.startsWith('--- ') && next.startsWith('+++ ')) {
      skipped = line + 1
      file = pathInHeader(shownAt(line), shownAt(line + 1))
      rows.push({ is: 'file', text: describeFile(text, next, file), number: null, line, file })
    } else {
      // What belongs to no hunk is about a file that it names itself.
      if (!text.startsWith('\\')) file = null
      rows.push({ is: 'other', text: shownAt(line), number: null, line, file })
    }
  }
  return rows
}

/** How a header reads: the path, quoted if what stands behind it could be taken for a part of it. */
function describeFile(before: string, after: string, path: string | null): string {
  if (path === null) return 'no file'
  const shown = /\s/.test(path) && !path.startsWith('"') ? JSON.stringify(path) : path
  if (before.endsWith(` ${NO_FILE}`)) return `${shown} (new)`
  return after.endsWith(` ${NO_FILE}`) ? `${shown} (deleted)` : shown
}

/** How wide the numbers of a diff are. */
export function gutterOf(rows: readonly DiffRow[]): number {
  return String(rows.reduce((most, { number }) => Math.max(most, number ?? 0), 0)).length
}

/** The lines of a hunk in words, such as `lines 3-9`; a hunk that only removes is named by the lines that go. */
export function describeHunk(text: string): string {
  const hunk = readHunkStart(text)
  if (hunk === null) return text
  const { freshStart, fresh, oldStart, old } = hunk
  return fresh === 0 ? `${nameLines(oldStart, old)}, removed` : nameLines(freshStart, fresh)
}

function nameLines(from: number, count: number): string {
  return count < 2 ? `line ${from}` : `lines ${from}-${from + count - 1}`
}
