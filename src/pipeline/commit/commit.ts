import { ERRORS, ToolFailure } from '../../core/error.ts'
import type { ToolError } from '../../core/error.ts'
import type { Move } from '../../core/lifecycle.ts'
import type { ToolResult } from '../../core/result.ts'
import type { FileChange } from '../../journal/entries/entry.ts'
import { mayBeRecorded } from '../../journal/explain-fault.ts'
import { isAboutFile } from '../../journal/folds/net-changes.ts'
import type { Append } from '../../journal/log.ts'
import { emitResult } from '../emit-events.ts'
import type { Run } from '../engine.ts'
import { describeFailure } from '../error-report.ts'
import { requireUnchanged } from '../memory/stored-values.ts'
import { recordRefused } from '../record/record.ts'
import type { Answer } from '../record/record.ts'
import type { Batch } from '../batch.ts'
import { land } from './land.ts'

/**
 * Writes the answers of a group and puts their changes in place. If the workspace refuses at the last moment, the call is
 * answered as refused and leaves nothing behind. Returns the results, in order.
 */
export async function commit(
  batch: Batch,
  answers: readonly Answer[],
  run: Run,
): Promise<readonly ToolResult[]> {
  const { workspace } = run.engine
  const refusal = await write(answers, run)
  const final =
    refusal === null ? answers : answers.map((answer) => recordRefused(answer, refusal, batch, run))
  if (refusal !== null) await append(final, run)
  const results: ToolResult[] = []
  for (const answer of final) {
    const result = await settle(answer, run)
    batch.emit(answer.call, movesOf(answer, result))
    emitResult(result, answer.entry.usage, run)
    report(answer, result, run)
    results.push(...answer.ahead, result)
  }
  if (final.some(({ source }) => source.ending.step.facts.tool?.effect !== 'read')) workspace.clearPathCache()
  return results
}

/** Writes the answers. A call with changes is alone in its group; if the workspace refuses it, the error is returned. */
async function write(answers: readonly Answer[], run: Run): Promise<ToolError | null> {
  const { workspace } = run.engine
  const changing = answers.find(({ entry }) => entry.changes.length > 0 || entry.stored !== undefined)
  if (changing !== undefined) return writeChange(changing, answers, run)
  for (const { call } of answers) workspace.drop(call.execution)
  const appending = append(answers, run)
  if (appending !== undefined) await appending
  return null
}

async function writeChange(
  { entry: { execution, changes } }: Answer,
  answers: readonly Answer[],
  run: Run,
): Promise<ToolError | null> {
  const { workspace } = run.engine
  try {
    workspace.writeBackups(execution)
    // A record of contents that a power cut could take must not outlive them.
    if (changes.some(({ after }) => after?.held !== undefined)) await workspace.syncHeld(changes)
    await append(answers, run, (others) => {
      for (const { source } of answers) {
        const { end } = source.ending
        if (end.ok && end.restsOn !== undefined) requireUnchanged(end.restsOn, run.log)
      }
      if (changes.length > 0) workspace.confirm(execution, others)
    })
    return null
  } catch (thrown) {
    // If it may be in the journal, the next command puts it in place, and its answer names the backup.
    if (!mayBeRecorded(thrown)) workspace.drop(execution)
    if (thrown instanceof ToolFailure) return nameLayer(thrown.error, execution, changes)
    throw thrown
  }
}

/** Names the layer that is kept although nothing of it could land, so that nothing is lost. */
function nameLayer(error: ToolError, execution: string, changes: readonly FileChange[]): ToolError {
  const isLayered = changes.some(({ before, after }) => (before ?? after)?.held !== undefined)
  if (!isLayered || error.code !== 'stale_file') return error
  return { ...error, details: { ...error.details, layer: execution } }
}

/** The commit point: results, contents and ledger are written together, or not at all. */
function append(
  answers: readonly Answer[],
  run: Run,
  confirm?: Append['confirm'],
): Promise<void> | undefined {
  const [only] = answers
  const what: Append =
    only !== undefined && answers.length === 1
      ? { entries: [only.entry], payloads: only.payloads, seen: only.seen, reliance: 'durable' }
      : {
          entries: answers.map(({ entry }) => entry),
          payloads: answers.flatMap(({ payloads }) => payloads),
          seen: answers.flatMap(({ seen }) => seen),
          reliance: 'durable',
        }
  return run.log.appendTogether(confirm === undefined ? what : { ...what, confirm })
}

/** The moves of a call as it really ended: one that had to be rolled back never counts as completed. */
function movesOf({ entry: { moves } }: Answer, { execution: { state } }: ToolResult): readonly Move[] {
  if (state !== 'ROLLED_BACK') return moves
  return moves.map((move) => (move.state === 'COMPLETED' ? { ...move, state } : move))
}

/** Puts changes in place and runs the `afterLanding` hook; what it returns become warnings. */
async function settle(answer: Answer, run: Run): Promise<ToolResult> {
  const { changes } = answer.entry
  if (changes.length === 0) return answer.result
  const result = await land(answer, run)
  if (!result.ok) return result
  const warnings = await run.engine.afterLanding(changes.filter(isAboutFile))
  return warnings.length === 0 ? result : { ...result, warnings: [...(result.warnings ?? []), ...warnings] }
}

/** Passes the error of a call to the error handler; a call that only waits has none. */
function report({ entry, failure }: Answer, result: ToolResult, run: Run): void {
  if (result.ok || ERRORS[result.error.code].exit === 4) return
  const phase = failure?.phase ?? ('landing' as const)
  const session = run.log.key.name
  run.onError(describeFailure(result, { version: entry.version, phase, session }, failure?.error ?? null))
}
