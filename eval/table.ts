import type { Outcome, Recording } from './recording.ts'
import { tokensOf } from './server/chat.ts'

/** A task as a runner did it now, or null if it could not be tried here. */
export interface Row {
  readonly task: string
  readonly outcome: Outcome
}

/** The recordings of a peer, by task. */
export type PeerRecordings = ReadonlyMap<string, ReadonlyMap<string, Recording>>

const HEADS = ['task', 'solved', 'requests', 'tokens in', 'out', 'calls', 'failed', 'questions', 'own s']

/** The cells of the table: a line for the heads, one for each task, and one for the sum. */
export function cellsOf(rows: readonly Row[], peers: PeerRecordings): readonly (readonly string[])[] {
  const heads = [...HEADS, ...peers.keys().map((peer) => `in, of ${peer}'s`)]
  const lines = rows.map((row) => [
    ...figuresOf(row.task, row.outcome.solved ? 'yes' : 'NO', [row.outcome]),
    ...peers.values().map((recordings) => ratioText(ratioOf([row], recordings))),
  ])
  const solved = rows.filter(({ outcome }) => outcome.solved).length
  const total = [
    ...figuresOf(
      'sum',
      `${solved} of ${rows.length}`,
      rows.map(({ outcome }) => outcome),
    ),
    ...peers.values().map((recordings) => ratioText(ratioOf(rows, recordings))),
  ]
  return [heads, ...lines, total]
}

function figuresOf(name: string, solved: string, outcomes: readonly Outcome[]): readonly string[] {
  const total = (of: (outcome: Outcome) => number) => outcomes.reduce((so, outcome) => so + of(outcome), 0)
  return [
    name,
    solved,
    String(total(({ requests }) => requests)),
    String(total(({ bytesIn }) => tokensOf(bytesIn))),
    String(total(({ bytesOut }) => tokensOf(bytesOut))),
    String(total(({ calls }) => calls)),
    String(total(({ failed }) => failed)),
    String(total(({ questions }) => questions)),
    total(({ ownSeconds }) => ownSeconds).toFixed(1),
  ]
}

/** Our tokens in through the peer's, over the tasks that both have solved; null if there are none. */
export function ratioOf(rows: readonly Row[], recordings: ReadonlyMap<string, Recording>): number | null {
  const both = rows.flatMap(({ task, outcome }) => {
    const theirs = recordings.get(task)?.outcome
    return theirs?.solved === true && outcome.solved ? [{ ours: outcome, theirs }] : []
  })
  if (both.length === 0) return null
  const [ours, theirs] = both.reduce(
    ([left, right], one) => [left + one.ours.bytesIn, right + one.theirs.bytesIn],
    [0, 0],
  )
  return ours / theirs
}

function ratioText(ratio: number | null): string {
  return ratio === null ? '' : ratio.toFixed(2)
}

/** The table for a terminal, with columns that line up. */
export function alignTable(cells: readonly (readonly string[])[]): string {
  const widths = (cells[0] ?? []).map((_, at) => Math.max(...cells.map((line) => (line[at] ?? '').length)))
  return cells
    .map((line) =>
      line
        .map((cell, at) => (at === 0 ? cell.padEnd(widths[at] ?? 0) : cell.padStart(widths[at] ?? 0)))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}

/** The table for a page. */
export function markdownTable(cells: readonly (readonly string[])[]): string {
  const [heads = [], ...lines] = cells
  const rule = heads.map((_, at) => (at < 2 ? '---' : '---:'))
  return [heads, rule, ...lines].map((line) => `| ${line.join(' | ')} |`).join('\n')
}
