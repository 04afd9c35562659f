import type { ToolResult } from '../core/result.ts'
import { approve } from './approve/approve.ts'
import { commit } from './commit/commit.ts'
import { EditGroup } from './commit/edit-group.ts'
import type { BatchEntry } from '../journal/entries/entry.ts'
import type { Run } from './engine.ts'
import { execute } from './execute/execute.ts'
import { park, splitWaiting } from './execute/park.ts'
import { parse } from './parse/parse.ts'
import { takeUpParked } from './parse/parked-batch.ts'
import type { ParkedBatch } from './parse/parked-batch.ts'
import { takeUp } from './parse/waiting-batch.ts'
import type { WaitingBatch } from './parse/waiting-batch.ts'
import { plan } from './plan/plan.ts'
import { record } from './record/record.ts'
import { resume } from './resume/resume.ts'
import type { Batch } from './batch.ts'
import type { Step } from './step.ts'

/** Runs the calls of one message: every call gets exactly one recorded result, in call order, or the batch waits. */
export async function runBatch(calls: readonly unknown[], run: Run): Promise<readonly ToolResult[]> {
  const batch = await parse(calls, run)
  return runStages(batch, run)
}

/**
 * Continues a batch whose last answer has arrived: the same stages, with the batch read from the log. It goes on in the
 * pass in which it was asked about, so that what satisfied an ordering rule then still does.
 */
export async function continueBatch(waiting: WaitingBatch, caller: Run): Promise<readonly ToolResult[]> {
  const run = asBefore(waiting.batch, caller)
  return runStages(takeUp(waiting, run), run)
}

/** Goes on with a batch that waited for delegated conversations, in the conversation that the caller has. */
export async function continueParked(parked: ParkedBatch, caller: Run): Promise<readonly ToolResult[]> {
  const run = asBefore(parked.batch, caller)
  return runStages(takeUpParked(parked, run), run)
}

/** The run of a batch that goes on: whoever lets it, it is still the batch of the one who made it. */
function asBefore({ turn, pass = turn, origin, delegate }: BatchEntry, caller: Run): Run {
  return {
    ...caller,
    turn,
    pass,
    isFreshTurn: false,
    origin,
    isForModel: origin !== 'person' || caller.isForModel,
    delegate: delegate ?? null,
    isContinued: true,
  }
}

async function runStages(batch: Batch, run: Run): Promise<readonly ToolResult[]> {
  const planned = await plan(batch, run)
  const held = new EditGroup(batch, run, (answers) => commit(batch, answers, run))
  try {
    await runGroups(batch, planned, held, { ...run, held })
  } finally {
    // What is staged is not lost to what happens to a later call.
    await held.flush()
  }
  return resume(batch, held.results)
}

async function runGroups(batch: Batch, planned: readonly Step[], held: EditGroup, run: Run): Promise<void> {
  for await (const group of approve(batch, planned, run)) {
    const isJoining = held.mayJoin(group)
    if (!isJoining) await held.flush()
    const { ended, waiting } = splitWaiting(await execute(batch, group, held.expected, run))
    if (ended.endings.length > 0) {
      const answers = await record(batch, ended, held.expected, run)
      if (isJoining) held.hold(answers)
      else await held.commitNow(answers)
    }
    if (waiting.length === 0) continue
    park(batch, waiting, held.results, run)
    break
  }
}
