import { LAST_ESCALATION } from '../../config/fixed-values.ts'
import type { ToolError } from '../../core/error.ts'
import type { ToolResult } from '../../core/result.ts'
import { judgeExit } from '../../policy/rules/continuation.ts'
import type { ExitDecision } from '../../policy/rules/continuation.ts'
import { findMissingExits } from '../../policy/rules/kinds/exit-rules.ts'
import { findMissingStarts } from '../../policy/rules/kinds/order-rules.ts'
import { violationError } from '../../policy/rules/judge-rules.ts'
import type { Violation } from '../../policy/rules/rule-kind.ts'
import type { Run } from '../engine.ts'
import { mayRunByItself } from '../plan/plan.ts'
import { prepareRequired } from '../plan/prepare-judging.ts'
import { EXIT_REFUSED, TURN_COMPLETED } from '../memory/turn-notes.ts'

/** Whether the turn may end now. */
export type PassEnd =
  | {
      readonly is: 'free'
      readonly rows: readonly ToolResult[]
      /** Start tools that calls were refused for, and that have not succeeded since. */
      readonly unmet: readonly string[]
    }
  | {
      readonly is: 'refused'
      readonly error: ToolError
      readonly missing: readonly string[]
      /** From 1; at 3 the runtime has done what it can, and the turn ends anyway. */
      readonly escalation: number
      readonly rows: readonly ToolResult[]
    }

/** Judges the end of a pass: refused twice, and the third time the runtime runs the missing tools itself. */
export async function finishPass(run: Run): Promise<PassEnd> {
  const { engine } = run
  const { book } = engine.rules
  if (book.rules.length === 0) return { is: 'free', rows: [], unmet: [] }
  await prepareRequired(run)
  const first = judgeEnd(run, true)
  if (first.is === 'violation') return refuse(first, [], run)
  if (first.is === 'free') return release([], run)
  const rows = await engine.runAhead(first.tools, { call: null, mayWait: true }, run)
  const second = judgeEnd(run, false)
  return second.is === 'violation' ? refuse(second, rows, run) : release(rows, run)
}

function judgeEnd(run: Run, mayRunFirst: boolean): ExitDecision {
  const { engine } = run
  const { book } = engine.rules
  const state = engine.rules.stateFor(run.log, run)
  // Only once: what was denied or failed then is not tried again at the next attempt to end.
  const isDue = mayRunFirst && state.pass.exitRefusals === LAST_ESCALATION - 1
  const missing = isDue ? findMissingExits(book, state) : []
  const bareTools = new Set(missing.filter((tool) => mayRunByItself(tool, run)))
  return judgeExit(book, state, { bareTools, mayRunFirst: bareTools.size > 0 })
}

/** Records the refusal, so that the next one escalates even after a restart. */
function refuse(violation: Violation, rows: readonly ToolResult[], run: Run): PassEnd {
  const { rule, details } = violation
  const missing = Array.isArray(details['missing']) ? details['missing'].map(String) : []
  const escalation = typeof details['escalation'] === 'number' ? details['escalation'] : 1
  const data = { turn: run.turn, pass: run.pass, rule, missing, escalation }
  run.log.append({
    entries: [{ kind: 'note', about: EXIT_REFUSED, execution: null, data }],
    reliance: 'recorded',
  })
  // A turn whose question waits is not over.
  if (escalation >= LAST_ESCALATION && !rows.some(isWaiting)) complete(run)
  const unmet = findUnmetStarts(run).filter((tool) => !missing.includes(tool))
  return {
    is: 'refused',
    error: violationError(violation),
    missing: [...unmet, ...missing],
    escalation,
    rows,
  }
}

function isWaiting(row: ToolResult): boolean {
  return !row.ok && row.error.code === 'approval_required'
}

function release(rows: readonly ToolResult[], run: Run): PassEnd {
  const unmet = findUnmetStarts(run)
  complete(run)
  return { is: 'free', rows, unmet }
}

function findUnmetStarts({ engine, log, ...place }: Run): readonly string[] {
  const { book, stateFor } = engine.rules
  const state = stateFor(log, place)
  return state.pass.startRefusals === 0 ? [] : findMissingStarts(book, state)
}

function complete(run: Run): void {
  const data = { turn: run.turn }
  run.log.append({
    entries: [{ kind: 'note', about: TURN_COMPLETED, execution: null, data }],
    reliance: 'recorded',
  })
}
