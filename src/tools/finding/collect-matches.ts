import type { SearchVisitor } from '../../core/powers.ts'
import { compareCodePoints } from '../../core/text/compare.ts'
import { byteLength } from '../../core/text/truncate.ts'
import { isBinary } from '../reading/bytes.ts'
import { createRowMaker } from './match-row.ts'
import type { MatchRow } from './match-row.ts'
import type { CutReason } from './cut-reason.ts'

/** How many matches a search returns. */
export interface MatchLimits {
  readonly maxResults: number
  readonly maxPerFile: number
  /** The limit for a match, and for its line around it. */
  readonly maxChars: number
  /** How many lines before and after each line with a match are shown. */
  readonly contextLines: number
  /** The limit for all matches together: what does not fit the result is not worth finding. */
  readonly maxBytes: number
}

/** The matches of a search. */
export interface CollectedMatches {
  readonly visitor: SearchVisitor
  /** Sorted by path, line and column. */
  readonly ordered: () => readonly MatchRow[]
  /** Which limit left out others; null if none did. */
  readonly cutBy: () => CutReason | null
}

/** Collects matches until there are enough. */
export function collectMatches(
  { maxResults, maxPerFile, maxChars, maxBytes, contextLines }: MatchLimits,
  includes: (path: string) => boolean,
  emit: (text: string) => void,
): CollectedMatches {
  const rows: MatchRow[] = []
  let makeRow: ReturnType<typeof createRowMaker> | null = null
  let ofThisFile = 0
  let filesMet = 0
  let bytes = 0
  let cutBy: CutReason | null = null
  const visitor: SearchVisitor = {
    includes,
    open(path, content) {
      if (isBinary(content, true)) return false
      makeRow = createRowMaker(path, content, { maxChars, contextLines })
      ofThisFile = 0
      return true
    },
    match(line, from, to) {
      const isFull = rows.length === maxResults || bytes > maxBytes
      if (makeRow === null || isFull || ofThisFile === maxPerFile) {
        cutBy = !isFull ? 'max_results_per_file' : bytes > maxBytes ? 'max_output_bytes' : 'max_results'
        return isFull ? 'stop' : 'next_file'
      }
      if (ofThisFile === 0) filesMet++
      ofThisFile++
      const row = makeRow(line, from, to)
      rows.push(row)
      bytes += byteLength(JSON.stringify(row))
      return 'more'
    },
    tick: () => emit(`Still searching; ${rows.length} matches in ${filesMet} files so far.\n`),
  }
  return { visitor, ordered: () => rows.toSorted(compareRows), cutBy: () => cutBy }
}

function compareRows(a: MatchRow, b: MatchRow): number {
  return compareCodePoints(a.path, b.path) || a.line - b.line || a.column - b.column
}
