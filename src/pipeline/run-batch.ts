import type { ToolResult } from '../core/result.ts'
import { arrived, runFlow } from '../core/wait.ts'
import type { Flow, Soon } from '../core/wait.ts'
import { approve, inTurn } from './approve/approve.ts'
import type { ReadyGroup } from './approve/approve.ts'
import { commit } from './commit/commit.ts'
import { EditGroup } from './commit/edit-group.ts'
import type { BatchEntry } from '../journal/entries/entry.ts'
import type { EndedGroup } from './execute/ending.ts'
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

/** Runs the calls of one message: every call gets exactly one recorded result, in call order, or the batch waits. */
export function runBatch(calls: readonly unknown[], run: Run): Soon<readonly ToolResult[]> {
  return runFlow(runStages(parse(calls, run), run))
}

/**
 * Continues a batch whose last answer has arrived: the same stages, with the batch read from the log. It goes on in the
 * pass in which it was asked about, so that what satisfied an ordering rule then still does.
 */
export function continueBatch(waiting: WaitingBatch, caller: Run): Soon<readonly ToolResult[]> {
  const run = asBefore(waiting.batch, caller)
  return runFlow(runStages(takeUp(waiting, run), run))
}

/** Goes on with a batch that waited for delegated conversations, in the conversation that the caller has. */
export function continueParked(parked: ParkedBatch, caller: Run): Soon<readonly ToolResult[]> {
  const run = asBefore(parked.batch, caller)
  return runFlow(runStages(takeUpParked(parked, run), run))
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

/** The stages in order. Each is waited for only if it has something to wait for. */
function* runStages(parsed: Soon<Batch>, caller: Run): Flow<readonly ToolResult[]> {
  const batch = yield* arrived(parsed)
  const planned = yield* arrived(plan(batch, caller))
  const held = new EditGroup(batch, caller, (answers) => commit(batch, answers, caller))
  const run = held.isAllowed ? { ...caller, held } : caller
  try {
    const next = inTurn(approve(batch, planned, run))
    for (let group = yield* arrived(next()); group !== null; group = yield* arrived(next()))
      if (!(yield* runGroup(batch, group, held, run))) break
  } finally {
    // What is staged is not lost to what happens to a later call.
    yield* arrived(held.flush())
  }
  return resume(batch, held.results)
}

/** Runs the calls of a group and records them; whether the next group may follow. */
function* runGroup(batch: Batch, group: ReadyGroup, held: EditGroup, run: Run): Flow<boolean> {
  const isJoining = held.mayJoin(group)
  if (!isJoining) yield* arrived(held.flush())
  const done = yield* arrived(execute(batch, group, held.expected, run))
  const { ended, waiting } = splitWaiting(done)
  try {
    const answers = yield* arrived(record(batch, ended, held.expected, run))
    if (isJoining) held.hold(answers)
    else yield* arrived(held.commitNow(answers))
    if (waiting.length === 0) return true
    park(batch, waiting, held.results, run)
    return false
  } catch (thrown) {
    giveUpLayers(done, run)
    throw thrown
  }
}

/** What became of these calls could not be recorded. */
function giveUpLayers({ endings }: EndedGroup, { engine: { shell } }: Run): void {
  for (const { layer, dropped = layer } of endings) if (dropped !== undefined) shell.giveUpLayer(dropped)
}
