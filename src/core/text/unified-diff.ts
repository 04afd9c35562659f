import { diffLines } from './line-diff.ts'
import { splitLines } from './split-lines.ts'

const CONTEXT = 3
const NO_NEWLINE = '\\ No newline at end of file'

/** One file before and after; null means there is no such file. */
export interface DiffSides {
  readonly path: string
  readonly before: string | null
  readonly after: string | null
}

/** One line of a hunk. */
export interface HunkRow {
  readonly mark: ' ' | '-' | '+'
  readonly text: string
  /** The line numbers of this row on both sides, from 1. */
  readonly a: number
  readonly b: number
}

/** A unified diff with three lines of context; empty if nothing differs. */
export function unifiedDiff({ path, before, after }: DiffSides): string {
  if (before === after) return ''
  const header = `--- ${before === null ? '/dev/null' : `a/${path}`}\n+++ ${after === null ? '/dev/null' : `b/${path}`}\n`
  return (
    header +
    hunksBetween(before ?? '', after ?? '')
      .map(renderHunk)
      .join('')
  )
}

/** The hunks of a unified diff, each with its context. */
export function hunksBetween(before: string, after: string): readonly (readonly HunkRow[])[] {
  const { a, b, linesAbove } = cutEnds(before, after)
  return hunksOf(rowsOf(splitLines(a), splitLines(b), linesAbove))
}

/** The text before with only some of its hunks applied; they are counted from 0. */
export function applyHunks(before: string, after: string, isTaken: (hunk: number) => boolean): string {
  const lines = splitLines(before)
  const kept: string[] = []
  let done = 0
  for (const [index, rows] of hunksBetween(before, after).entries()) {
    const mark = isTaken(index) ? '-' : '+'
    const start = (rows[0]?.a ?? 1) - 1
    kept.push(...lines.slice(done, start))
    for (const row of rows) if (row.mark !== mark) kept.push(row.text)
    done = start + rows.filter((row) => row.mark !== '+').length
  }
  return [...kept, ...lines.slice(done)].join('')
}

/**
 * Both texts without the lines they share at either end, except for the context; most edits change little of a file.
 */
function cutEnds(a: string, b: string): { a: string; b: string; linesAbove: number } {
  const shared = lineBegin(a, commonStart(a, b))
  let start = shared
  for (let line = 0; line < CONTEXT; line++) start = lineBegin(a, start - 1)
  // The common end may begin inside a line, so one more line break is skipped.
  let end = a.length - commonEnd(a, b, shared)
  for (let line = 0; line <= CONTEXT && end !== 0; line++) end = a.indexOf('\n', end) + 1
  if (end === 0) end = a.length
  return {
    a: a.slice(start, end),
    b: b.slice(start, end + b.length - a.length),
    linesAbove: countLines(a, start),
  }
}

/** The start of the line that contains a position. */
function lineBegin(text: string, place: number): number {
  // `lastIndexOf` treats a negative position as 0.
  return place <= 0 ? 0 : text.lastIndexOf('\n', place - 1) + 1
}

function countLines(text: string, end: number): number {
  let lines = 0
  for (let at = text.indexOf('\n'); at !== -1 && at < end; at = text.indexOf('\n', at + 1)) lines++
  return lines
}

function rowsOf(a: readonly string[], b: readonly string[], linesAbove: number): readonly HunkRow[] {
  const rows: HunkRow[] = []
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

/** Changed rows with their context; adjoining hunks are merged. */
function hunksOf(rows: readonly HunkRow[]): readonly (readonly HunkRow[])[] {
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

function renderHunk(rows: readonly HunkRow[]): string {
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

/** Compare in pieces of this many characters, which is faster than one by one. */
const PIECE = 256

/** The length of the common prefix of two texts. */
function commonStart(one: string, other: string): number {
  const most = Math.min(one.length, other.length)
  let at = 0
  while (at < most && one.slice(at, at + PIECE) === other.slice(at, at + PIECE)) at += PIECE
  if (at > most) at = most
  while (at < most && one.charCodeAt(at) === other.charCodeAt(at)) at++
  return at
}

/** The length of their common suffix, not reaching before `from`. */
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
