import { diffLines } from './line-diff.ts'

const CONTEXT = 3
const NO_NEWLINE = '\\ No newline at end of file'

/** One file before and after; null is 'no such file'. */
export interface DiffSides {
  readonly path: string
  readonly before: string | null
  readonly after: string | null
}

interface Row {
  readonly mark: ' ' | '-' | '+'
  readonly text: string
  /** Line numbers from 1 where this row stands, on both sides. */
  readonly a: number
  readonly b: number
}

/** The difference as a unified diff with three lines of context; empty where nothing differs. */
export function unifiedDiff({ path, before, after }: DiffSides): string {
  if (before === after) return ''
  const a = splitLines(before ?? '')
  const b = splitLines(after ?? '')
  const header = `--- ${before === null ? '/dev/null' : `a/${path}`}\n+++ ${after === null ? '/dev/null' : `b/${path}`}\n`
  return header + hunksOf(rowsOf(a, b)).map(renderHunk).join('')
}

/** Lines with their endings, so that a change of endings alone shows. */
function splitLines(text: string): readonly string[] {
  return text === '' ? [] : (text.match(/[^\n]*\n|[^\n]+$/g) ?? [])
}

function rowsOf(a: readonly string[], b: readonly string[]): readonly Row[] {
  const rows: Row[] = []
  let lineA = 1
  let lineB = 1
  for (const { is, from, to } of diffLines(a, b)) {
    for (let i = from; i < to; i++) {
      const mark = is === 'same' ? ' ' : is === 'removed' ? '-' : '+'
      rows.push({ mark, text: (is === 'removed' ? a[i] : b[i]) ?? '', a: lineA, b: lineB })
      if (mark !== '+') lineA++
      if (mark !== '-') lineB++
    }
  }
  return rows
}

/** Changed rows with the context around them; stretches that touch become one. */
function hunksOf(rows: readonly Row[]): readonly (readonly Row[])[] {
  const spans: { from: number; to: number }[] = []
  for (const [index, { mark }] of rows.entries()) {
    if (mark === ' ') continue
    const last = spans.at(-1)
    const to = Math.min(rows.length, index + CONTEXT + 1)
    if (last !== undefined && index - CONTEXT <= last.to) last.to = to
    else spans.push({ from: Math.max(0, index - CONTEXT), to })
  }
  return spans.map(({ from, to }) => rows.slice(from, to))
}

function renderHunk(rows: readonly Row[]): string {
  const [first] = rows
  if (first === undefined) return ''
  const countA = rows.filter(({ mark }) => mark !== '+').length
  const countB = rows.filter(({ mark }) => mark !== '-').length
  const startA = countA === 0 ? first.a - 1 : first.a
  const startB = countB === 0 ? first.b - 1 : first.b
  const body = rows
    .map(({ mark, text }) => `${mark}${text.endsWith('\n') ? text : `${text}\n${NO_NEWLINE}\n`}`)
    .join('')
  return `@@ -${startA}${countA === 1 ? '' : `,${countA}`} +${startB}${countB === 1 ? '' : `,${countB}`} @@\n${body}`
}
