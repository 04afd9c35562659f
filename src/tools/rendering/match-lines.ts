import { quotePath } from '../../core/text/display/show-path.ts'
import type { ContextLine, MatchRow } from '../finding/match-row.ts'
import type { CutReason } from '../finding/cut-reason.ts'
import { noteLines } from './file-rows.ts'
import { rowPath } from './row-path.ts'

/** What a search found, as far as its text shows it. */
export interface FoundMatches {
  readonly matches: readonly MatchRow[]
  readonly files?: readonly string[]
  readonly counts?: readonly { readonly path: string; readonly matches: number }[]
  readonly truncated: boolean
  readonly truncated_reason?: CutReason
  readonly notes?: readonly string[]
}

/** How to see what a limit left out. */
const WAYS: Readonly<Record<CutReason, string>> = {
  max_results: 'narrow the query or include_paths, or raise max_results',
  max_results_per_file: 'not every match of a file is shown; narrow the query, or read_file shows its lines',
  max_output_bytes: 'narrow the query or include_paths',
  max_entries: 'not every folder was searched; narrow include_paths',
}

/** Matches grouped by file, each line once; or only the files, or how many there are in each. */
export function renderMatches(found: FoundMatches): string {
  const { matches, files, counts, truncated, truncated_reason: reason = 'max_output_bytes', notes } = found
  const rows = files?.map(rowPath) ??
    counts?.map(({ path, matches: count }) => `${quotePath(path)}: ${count}`) ?? [...groupByFile(matches)]
  const text = rows.length === 0 ? 'No matches.' : rows.join((files ?? counts) ? '\n' : '\n\n')
  return `${text}${truncated ? `\n[There are more: ${WAYS[reason]}.]` : ''}${noteLines(notes)}`
}

function* groupByFile(matches: readonly MatchRow[]): Generator<string> {
  for (const [path, rows] of Map.groupBy(matches, (row) => row.path)) {
    const lines: Shown[] = []
    const around = rows.flatMap(({ context = [] }) => context)
    let shown = 0
    let end = 0
    for (const row of rows) {
      // A cut line shows only what is around one match, so each match on it has a row.
      if (row.line === shown && (row.cut !== true || row.column < end)) continue
      shown = row.line
      const text = row.before + row.match_text + row.after
      end = row.column + [...(row.match_text + row.after)].length
      lines.push({ line: row.line, row: `${row.line}: ${row.cut === true ? `… ${text} …` : text}` })
    }
    const all = around.length === 0 ? lines : mergeContext(lines, around)
    yield [rowPath(path), ...all.map(({ row }) => row)].join('\n')
  }
}

interface Shown {
  readonly line: number
  readonly row: string
}

/** Lines with and without a match in order; a mark stands where lines between them are not shown. */
function mergeContext(matched: readonly Shown[], around: readonly ContextLine[]): readonly Shown[] {
  const own = new Set(matched.map(({ line }) => line))
  const others = around
    .filter(({ line }) => !own.has(line))
    .map(({ line, text, cut }) => ({ line, row: `${line}- ${text}${cut === true ? ' …' : ''}` }))
  const sorted = [...matched, ...others].toSorted((one, other) => one.line - other.line)
  return sorted.flatMap((shown, at) => {
    const before = sorted[at - 1]
    return before !== undefined && shown.line > before.line + 1
      ? [{ line: shown.line, row: '--' }, shown]
      : [shown]
  })
}
