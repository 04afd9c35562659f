import { expect } from 'vitest'
import type { Outcome } from './play.ts'
import type { ExpectedRow, Scenario } from './scenario.ts'

/** A row as far as this file looks at it. */
interface Row {
  readonly execution: { readonly state: string }
  readonly error?: { readonly code: string }
  readonly content: string
}

/** Holds what came of a scenario against what it says itself. */
export function expectOutcome({ rows, files, trail, ...rest }: Outcome, scenario: Scenario): void {
  expect(rows.flat().map(sumUp)).toEqual(scenario.rows.map(expectedRow))
  expect(files).toEqual(filesAtEnd(scenario))
  expect(trail.filter(isAnswer)).toHaveLength(scenario.questions ?? 0)
  expect(rest).toMatchObject({ chainFault: null, unasked: 0, unanswered: 0 })
}

/** Holds what came of a scenario in a face against what came of it in the library. */
export function expectSame(actual: Outcome, library: Outcome, hasText = true): void {
  const rows = withoutWithheld(library.rows, actual.rows)
  expect(hasText ? actual : withoutText(actual)).toEqual(
    hasText ? { ...library, rows } : withoutText({ ...library, rows }),
  )
}

function withoutText(outcome: Outcome): Outcome {
  const rows = outcome.rows.map((step) =>
    step.map((row) => (row === null ? null : { ...(row as Row), content: '' })),
  )
  return { ...outcome, rows }
}

/** A client has no row of a call that waits or that it has cancelled itself, if its face has no room for one. */
const WITHHELD: ReadonlySet<string | undefined> = new Set(['approval_required', 'held', 'cancelled'])

function withoutWithheld(rows: Outcome['rows'], given: Outcome['rows']): Outcome['rows'] {
  return rows.map((step, at) =>
    step.map((row, place) => {
      const isMissing = given[at]?.[place] === null
      return isMissing && WITHHELD.has((row as Row).error?.code) ? null : row
    }),
  )
}

function sumUp(row: unknown): object {
  const { execution, error, content } = row as Row
  return { state: execution.state, code: error?.code, says: content }
}

function expectedRow({ state, code, says }: ExpectedRow): object {
  const words: unknown = says === undefined ? expect.any(String) : expect.stringContaining(says)
  return { state, code, says: words }
}

function filesAtEnd({ files, changed = {} }: Scenario): Readonly<Record<string, string>> {
  const all: Readonly<Record<string, string | null>> = { ...files, ...changed }
  return Object.fromEntries(
    Object.entries(all).flatMap(([name, data]) => (data === null ? [] : [[name, data]])),
  )
}

function isAnswer(entry: unknown): boolean {
  return (entry as { readonly kind: string }).kind === 'answered'
}
