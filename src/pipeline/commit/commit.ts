import { ERRORS } from '../../core/error.ts'
import type { Move } from '../../core/lifecycle.ts'
import type { ToolResult } from '../../core/result.ts'
import { goOnWith } from '../../core/wait.ts'
import type { Soon } from '../../core/wait.ts'
import { isAboutFile } from '../../journal/folds/net-changes.ts'
import { emitResult } from '../emit-events.ts'
import type { Run } from '../engine.ts'
import { describeFailure } from '../error-report.ts'
import type { Answer } from '../record/record.ts'
import type { Batch } from '../batch.ts'
import { inChains } from './chains.ts'
import { land } from './land.ts'
import { write } from './write.ts'

/**
 * Writes the answers of a group and puts their changes in place. A call that the workspace refuses at the last moment is
 * answered as refused and leaves nothing behind. Returns the results, in order.
 */
export function commit(batch: Batch, answers: readonly Answer[], run: Run): Soon<readonly ToolResult[]> {
  return goOnWith(write(batch, answers, run), (final) => {
    if (final.some(hasMore)) return landAndTell(batch, final, run)
    const results: ToolResult[] = []
    for (const answer of final) results.push(...tell(batch, answer, answer.result, run))
    clearPaths(final, run)
    return results
  })
}

/** Whether something is left to do after the answer is written: changes to land, or a refused landing to remove. */
function hasMore({ entry, source }: Answer): boolean {
  return hasChanges({ entry }) || source.ending.dropped !== undefined
}

function hasChanges({ entry }: Pick<Answer, 'entry'>): boolean {
  return entry.changes.length > 0
}

async function landAndTell(batch: Batch, final: readonly Answer[], run: Run): Promise<readonly ToolResult[]> {
  const landed = await landAll(final, run)
  await dropRefused(final, run)
  const results: ToolResult[] = []
  for (const answer of final) {
    const result = await settle(answer, landed.get(answer.call.execution) ?? answer.result, run)
    results.push(...tell(batch, answer, result, run))
  }
  clearPaths(final, run)
  return results
}

/** Removes the layers of refused landings, now that no question about them is open; what a death leaves is swept. */
async function dropRefused(answers: readonly Answer[], { engine }: Run): Promise<void> {
  for (const { source } of answers)
    if (source.ending.dropped !== undefined) await engine.shell.discardLayer(source.ending.dropped)
}

/** What is not only reading may have changed where paths lead. */
function clearPaths(final: readonly Answer[], { engine: { workspace } }: Run): void {
  if (final.some(({ source }) => source.ending.step.facts.tool?.effect !== 'read')) workspace.clearPathCache()
}

/** Tells everyone who listens how a call ended; its rows, in order. */
function tell(batch: Batch, answer: Answer, result: ToolResult, run: Run): readonly ToolResult[] {
  batch.emit(answer.call, movesOf(answer, result))
  emitResult(result, answer.entry.usage, run)
  report(answer, result, run)
  return answer.ahead.length === 0 ? [result] : [...answer.ahead, result]
}

/** Puts all changes in place, those that build on one another together; returns what became of the calls. */
async function landAll(answers: readonly Answer[], run: Run): Promise<ReadonlyMap<string, ToolResult>> {
  const changing = answers.filter(hasChanges)
  const results = new Map<string, ToolResult>()
  const chains = inChains(changing.map((answer) => ({ changes: answer.entry.changes, answer })))
  for (const chain of chains) {
    const landed = await land(
      chain.map(({ answer }) => answer),
      run,
    )
    for (const [execution, result] of landed) results.set(execution, result)
  }
  return results
}

/** The moves of a call as it really ended: one that had to be rolled back never counts as completed. */
function movesOf({ entry: { moves } }: Answer, { execution: { state } }: ToolResult): readonly Move[] {
  if (state !== 'ROLLED_BACK') return moves
  return moves.map((move) => (move.state === 'COMPLETED' ? { ...move, state } : move))
}

/** Runs the `afterLanding` hook for changes that are in place; what it returns become warnings. */
async function settle({ entry: { changes } }: Answer, result: ToolResult, run: Run): Promise<ToolResult> {
  if (changes.length === 0 || !result.ok) return result
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
