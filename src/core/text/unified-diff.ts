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

/** The difference as a unified diff with three lines of context; empty if nothing differs. */
export function unifiedDiff({ path, before, after }: DiffSides): string {
  if (before === after) return ''
  const { a, b, linesAbove } = cutEnds(before ?? '', after ?? '')
  const header = `--- ${before === null ? '/dev/null' : `a/${path}`}\n+++ ${after === null ? '/dev/null' : `b/${path}`}\n`
  return (
    header +
    hunksOf(rowsOf(splitLines(a), splitLines(b), linesAbove))
      .map(renderHunk)
      .join('')
  )
}

/** Both texts without the lines that they share at their ends, except for the context; most edits change little of a file. */
function cutEnds(a: string, b: string): { a: string; b: string; linesAbove: number } {
  const shared = lineBegin(a, commonStart(a, b))
  let start = shared
  for (let line = 0; line < CONTEXT; line++) start = lineBegin(a, start - 1)
  // The first line end in what they share at the end may be of a line that they share only a part of.
  let end = a.length - commonEnd(a, b, shared)
  for (let line = 0; line <= CONTEXT && end !== 0; line++) end = a.indexOf('\n', end) + 1
  if (end === 0) end = a.length
  return {
    a: a.slice(start, end),
    b: b.slice(start, end + b.length - a.length),
    linesAbove: countLines(a, start),
  }
}

/** Where the last line begins that begins at a place or before it. */
function lineBegin(text: string, place: number): number {
  // A place before the beginning would be taken for the beginning.
  return place <= 0 ? 0 : text.lastIndexOf('\n', place - 1) + 1
}

function countLines(text: string, end: number): number {
  let lines = 0
  for (let at = text.indexOf('\n'); at !== -1 && at < end; at = text.indexOf('\n', at + 1)) lines++
  return lines
}

/** Lines with their endings, so that a change of endings alone shows. */
function splitLines(text: string): readonly string[] {
  return text === '' ? [] : (text.match(/[^\n]*\n|[^\n]+$/g) ?? [])
}

function rowsOf(a: readonly string[], b: readonly string[], linesAbove: number): readonly Row[] {
  const rows: Row[] = []
  let lineA = linesAbove + 1
  let lineB = linesAbove + 1
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

/** Texts are compared in pieces of this many characters, which is quicker than one by one. */
const PIECE = 256

/** How many characters two texts have in common at their beginning. */
function commonStart(one: string, other: string): number {
  const most = Math.min(one.length, other.length)
  let at = 0
  while (at < most && one.slice(at, at + PIECE) === other.slice(at, at + PIECE)) at += PIECE
  if (at > most) at = most
  while (at < most && one.charCodeAt(at) === other.charCodeAt(at)) at++
  return at
}

/** How many characters they have in common at their end, of those from a place on. */
function commonEnd(one: string, other: string, from: number): number {
  const most = Math.min(one.length, other.length) - from
  const isSame = (back: number, length: number): boolean =>
    one.slice(one.length - back - length, one.length - back) ===
    other.slice(other.length - back - length, other.length - back)
  let back = 0
  while (back + PIECE <= most && isSame(back, PIECE)) back += PIECE
  while (back < most && isSame(back, 1)) back++
  return back
}
