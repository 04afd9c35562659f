import { isJsonObject } from '../../core/json/value.ts'
import type { ToolResult } from '../../core/result.ts'
import { rowsOf } from '../log/spoken-batch.ts'
import type { Spoken } from '../log/transcript.ts'

/** The lines of a file that a result shows. */
export interface Reading {
  readonly path: string
  /** Null means the whole file. */
  readonly range: { readonly start_line: number; readonly end_line: number } | null
  readonly totalLines: number | null
  /** Whether the file goes on although there is no range, as with binary files. */
  readonly isCut: boolean
}

/** What a result shows of a file; null if it does something else. */
export function readingOf(result: ToolResult): Reading | null {
  if (!result.ok) return null
  const { path, encoding, content, range, total_lines: total, truncated } = result.result
  if (typeof path !== 'string' || typeof encoding !== 'string' || typeof content !== 'string') return null
  const totalLines = typeof total === 'number' ? total : null
  const { start_line: start, end_line: end } = isJsonObject(range) ? range : {}
  const isPart = typeof start === 'number' && typeof end === 'number'
  const isWhole = !isPart || (start === 1 && end === totalLines && truncated === false)
  const isCut = isWhole && truncated === true
  return { path, totalLines, isCut, range: isWhole ? null : { start_line: start, end_line: end } }
}

/** The executions of readings whose lines were all read again later, by what was said before a position in the log. */
export function findReplaced(spoken: readonly Spoken[], before: number): ReadonlySet<string> {
  const replaced = new Set<string>()
  const later = new Map<string, Reading[]>()
  for (const one of spoken.toReversed()) {
    if (one.role !== 'results' || one.seq >= before) continue
    for (const row of rowsOf(one.batch).toReversed()) {
      const reading = readingOf(row)
      if (reading === null) continue
      const newer = later.get(reading.path) ?? []
      if (newer.some((other) => covers(other, reading))) replaced.add(row.execution.id)
      later.set(reading.path, [...newer, reading])
    }
  }
  return replaced
}

function covers({ range: outer, isCut }: Reading, { range: inner }: Reading): boolean {
  if (outer === null) return !isCut
  return inner !== null && outer.start_line <= inner.start_line && outer.end_line >= inner.end_line
}
