import type { ToolResult } from '../core/result.ts'
import { goOnWith } from '../core/wait.ts'
import type { Soon } from '../core/wait.ts'
import { approve } from './approve/approve.ts'
import type { ReadyGroup, ReadyGroups } from './approve/approve.ts'
import { commit } from './commit/commit.ts'
import { EditGroup } from './commit/edit-group.ts'
import type { BatchEntry } from '../journal/entries/entry.ts'
import type { Run } from './engine.ts'
import type { EndedGroup } from './execute/ending.ts'
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
export function runBatch(calls: readonly unknown[], run: Run): Promise<readonly ToolResult[]> {
  return runStages(() => parse(calls, run), run)
}

/**
 * Continues a batch whose last answer has arrived: the same stages, with the batch read from the log. It goes on in the
 * pass in which it was asked about, so that what satisfied an ordering rule then still does.
 */
export function continueBatch(waiting: WaitingBatch, caller: Run): Promise<readonly ToolResult[]> {
  const run = asBefore(waiting.batch, caller)
  return runStages(() => takeUp(waiting, run), run)
}

/** Goes on with a batch that waited for delegated conversations, in the conversation that the caller has. */
export function continueParked(parked: ParkedBatch, caller: Run): Promise<readonly ToolResult[]> {
  const run = asBefore(parked.batch, caller)
  return runStages(() => takeUpParked(parked, run), run)
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
async function runStages(begin: () => Soon<Batch>, run: Run): Promise<readonly ToolResult[]> {
  const beginning = begin()
  const batch = beginning instanceof Promise ? await beginning : beginning
  const planning = plan(batch, run)
  const planned = planning instanceof Promise ? await planning : planning
  const held = new EditGroup(batch, run, (answers) => commit(batch, answers, run))
  try {
    const running = runGroups(batch, planned, held, held.isAllowed ? { ...run, held } : run)
    if (running instanceof Promise) await running
  } finally {
    // What is staged is not lost to what happens to a later call.
    const flushing = held.flush()
    if (flushing instanceof Promise) await flushing
  }
  return resume(batch, held.results)
}

function runGroups(batch: Batch, planned: readonly Step[], held: EditGroup, run: Run): Soon<unknown> {
  const groups = approve(batch, planned, run)
  const [only] = Array.isArray(groups) && groups.length === 1 ? groups : []
  return only === undefined ? runInTurn(batch, groups, held, run) : runGroup(batch, only, held, run)
}

async function runInTurn(batch: Batch, groups: ReadyGroups, held: EditGroup, run: Run): Promise<void> {
  for await (const group of groups) {
    const mayGoOn = await runGroup(batch, group, held, run)
    if (!mayGoOn) break
  }
}

/** Runs the calls of a group and records them; whether the next group may follow. */
function runGroup(batch: Batch, group: ReadyGroup, held: EditGroup, run: Run): Soon<boolean> {
  const isJoining = held.mayJoin(group)
  return goOnWith(isJoining ? undefined : held.flush(), () =>
    goOnWith(execute(batch, group, held.expected, run), (done) => {
      const { ended, waiting } = splitWaiting(done)
      return goOnWith(recordGroup(batch, ended, isJoining, held, run), () => {
        if (waiting.length === 0) return true
        park(batch, waiting, held.results, run)
        return false
      })
    }),
  )
}

function recordGroup(
  batch: Batch,
  ended: EndedGroup,
  isJoining: boolean,
  held: EditGroup,
  run: Run,
): Soon<void> {
  if (ended.endings.length === 0) return undefined
  return goOnWith(record(batch, ended, held.expected, run), (answers) =>
    isJoining ? held.hold(answers) : held.commitNow(answers),
  )
}
