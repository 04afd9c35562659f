import type { MatchRow } from '../finding/match-row.ts'
import { noteLines } from './file-rows.ts'

/** What a search found, as far as its text shows it. */
export interface FoundMatches {
  readonly matches: readonly MatchRow[]
  readonly files?: readonly string[]
  readonly counts?: readonly { readonly path: string; readonly matches: number }[]
  readonly truncated: boolean
  readonly notes?: readonly string[]
}

const MORE = '[There are more: narrow the query or include_paths, or raise max_results.]'

/** Matches grouped by file, each line once; or only the files, or how many there are in each. */
export function renderMatches({ matches, files, counts, truncated, notes }: FoundMatches): string {
  const rows = files ??
    counts?.map(({ path, matches: count }) => `${path}: ${count}`) ?? [...groupByFile(matches)]
  const found = rows.length === 0 ? 'No matches.' : rows.join((files ?? counts) ? '\n' : '\n\n')
  return `${found}${truncated ? `\n${MORE}` : ''}${noteLines(notes)}`
}

function* groupByFile(matches: readonly MatchRow[]): Generator<string> {
  for (const [path, rows] of Map.groupBy(matches, (row) => row.path)) {
    const lines = [path]
    let shown = 0
    let end = 0
    for (const row of rows) {
      // A cut line shows only what is around one match, so each match on it has a row.
      if (row.line === shown && (row.cut !== true || row.column < end)) continue
      shown = row.line
      const text = row.before + row.match_text + row.after
      end = row.column + [...(row.match_text + row.after)].length
      lines.push(`${row.line}: ${row.cut === true ? `… ${text} …` : text}`)
    }
    yield lines.join('\n')
  }
}
