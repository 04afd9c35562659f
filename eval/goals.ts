import type { Row } from './table.ts'

/** What is aimed at, and whether it was reached. */
export interface Goal {
  readonly name: string
  readonly value: string
  readonly limit: string
  readonly met: boolean
}

const MOST_OF_PI = 1.2
const MOST_FIRST_BYTES = 10_240
const MOST_FAILED_PERCENT = 3

/** The goals for a list of tasks; `ofPi` is the ratio of tokens in, null if there is nothing to compare with. */
export function goalsOf(rows: readonly Row[], ofPi: number | null): readonly Goal[] {
  const first = Math.max(0, ...rows.map(({ outcome }) => outcome.firstBytes))
  const calls = rows.reduce((so, { outcome }) => so + outcome.calls, 0)
  const failed = rows.reduce((so, { outcome }) => so + outcome.failed, 0)
  const percent = calls === 0 ? 0 : (100 * failed) / calls
  return [
    ...(ofPi === null
      ? []
      : [
          {
            name: "tokens in, of pi's for the same work",
            value: ofPi.toFixed(2),
            limit: `at most ${MOST_OF_PI}`,
            met: ofPi <= MOST_OF_PI,
          },
        ]),
    {
      name: 'first request, bytes',
      value: String(first),
      limit: `at most ${MOST_FIRST_BYTES}`,
      met: first <= MOST_FIRST_BYTES,
    },
    {
      name: 'failed calls, percent',
      value: percent.toFixed(1),
      limit: `under ${MOST_FAILED_PERCENT}`,
      met: percent < MOST_FAILED_PERCENT,
    },
  ]
}
