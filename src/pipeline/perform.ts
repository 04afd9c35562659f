import { toolError } from '../core/error.ts'
import { declare, move } from '../core/lifecycle.ts'
import type { Trace } from '../core/lifecycle.ts'
import type { ToolResult } from '../core/result.ts'
import { byteLength } from '../core/text/truncate.ts'
import { refuse } from './ask.ts'
import type { Agreement } from './binding.ts'
import { land } from './commit.ts'
import type { Batch } from './declare.ts'
import { cancelled, execute } from './execute.ts'
import type { Allowance } from './execute.ts'
import type { House, Run } from './house.ts'
import { judgeCall } from './plan.ts'
import type { Step } from './plan.ts'
import { answer } from './record.ts'
import type { Answer, Ending } from './record.ts'

/** Runs the calls of a batch in order; each has its recorded result before the next begins. */
export async function perform(
  batch: Batch,
  steps: readonly Step[],
  agreed: ReadonlyMap<string, Agreement>,
  house: House,
  run: Run,
): Promise<readonly ToolResult[]> {
  const results: ToolResult[] = []
  let spent = 0
  let isStopped = false
  for (const group of groupSteps(steps, house)) {
    const allowance = allow(spent, house)
    const ready = isStopped ? group.map((step) => refuse(step, SKIPPED)) : group
    const endings = await Promise.all(
      ready.map((step) => bringToEnd(step, batch.declaredAt, allowance, agreed, house, run)),
    )
    const answers = endings.map((ending) => {
      const made = answer(ending, batch, allow(spent, house).maxOutputBytes, house, run)
      spent += byteLength(made.result.content)
      return made
    })
    record(answers, run)
    for (const made of answers) {
      const result = land(made, house, run)
      run.onEvent({ event: 'result', result })
      results.push(result)
      isStopped ||= !result.ok && house.settings['tools.on_execution_error'] === 'stop'
    }
  }
  return results
}

const SKIPPED = toolError(
  'skipped',
  'Skipped: an earlier call of this batch failed, and tools.on_execution_error is stop.',
)

/** Neighbouring calls that only read may run side by side; everything else runs alone. */
function groupSteps(steps: readonly Step[], house: House): readonly (readonly Step[])[] {
  // What one result leaves of a conversation's room decides what the next may say, so then they take turns.
  const hasRoomToShare = house.settings['tools.output.capacity_bytes'] === 0
  const isParallel =
    house.settings['tools.allow_parallel'] &&
    hasRoomToShare &&
    house.settings['tools.on_execution_error'] !== 'stop'
  const groups: Step[][] = []
  let isOpen = false
  for (const step of steps) {
    const onlyReads = step.judgement.verdict === 'settle' || step.facts.tool?.effect === 'read'
    const last = groups.at(-1)
    if (isParallel && onlyReads && isOpen && last !== undefined) last.push(step)
    else groups.push([step])
    isOpen = onlyReads
  }
  return groups
}

/** What is left for the next call: the output limit, and what earlier results left of the conversation's room. */
function allow(spentBytes: number, house: House): Allowance {
  const most = house.settings['tools.output.max_bytes']
  const room = house.settings['tools.output.capacity_bytes']
  if (room === 0) return { maxOutputBytes: most, capacityBytes: null }
  const capacityBytes = Math.max(0, room - spentBytes)
  return { maxOutputBytes: Math.min(most, capacityBytes), capacityBytes }
}

async function bringToEnd(
  planned: Step,
  declaredAt: number,
  allowance: Allowance,
  agreed: ReadonlyMap<string, Agreement>,
  house: House,
  run: Run,
): Promise<Ending> {
  const declared = declare(declaredAt)
  tell(planned, declared, run)
  const step = planned.judgement.verdict === 'settle' ? planned : judgeAtTheDoor(planned, agreed, house, run)
  if (step.judgement.verdict === 'settle' || step.tool === null) return unrun(step, declared, house)
  const validated = move(declared, 'VALIDATED', house.clock.now())
  tell(step, validated, run)
  if (run.signal.aborted)
    return {
      step,
      trace: validated,
      durationMs: 0,
      end: { ok: false, error: cancelled().error, seen: [], phase: 'before' },
    }
  const authorized = move(validated, 'AUTHORIZED', house.clock.now())
  tell(step, authorized, run)
  const executing = move(authorized, 'EXECUTING', house.clock.now())
  tell(step, executing, run)
  const outcome = await execute(
    step.tool,
    step.call,
    allowance,
    agreed.get(step.call.execution) ?? null,
    house,
    run,
  )
  const { durationMs, ...end } = outcome
  return { step, trace: executing, durationMs, end }
}

/** Judged again on facts: what was true when the batch was planned may not be true any more. */
function judgeAtTheDoor(planned: Step, agreed: ReadonlyMap<string, Agreement>, house: House, run: Run): Step {
  const now = judgeCall(planned.call, planned.facts.position, planned.facts.sameId, house, run)
  const approval = planned.judgement.findings.filter(({ gate }) => gate === 'approval')
  const step = { ...now, judgement: { ...now.judgement, findings: [...now.judgement.findings, ...approval] } }
  if (step.judgement.verdict !== 'ask' || agreed.has(step.call.execution)) return step
  return refuse(
    step,
    toolError('approval_denied', 'This needs approval by now, and nobody was asked about it.', {
      reason: 'not_asked',
    }),
  )
}

/** A call that does not run ends where its error says; one that was refused after its check had passed is validated first. */
function unrun(step: Step, declared: Trace<'DECLARED'>, house: House): Ending {
  const { error } = step.judgement
  if (error === null) throw new Error('a call that was not settled did not run')
  const phase = step.phase ?? 'before'
  const trace = phase === 'before' ? declared : move(declared, 'VALIDATED', house.clock.now())
  return { step, trace, durationMs: 0, end: { ok: false, error, seen: [], phase } }
}

function tell(step: Step, trace: Trace, run: Run): void {
  const { execution, id, name } = step.call
  run.onEvent({ event: 'state', execution, id, name, state: trace.now })
}

/** The commit point: results, contents and ledger become true together, or not at all. */
export function record(answers: readonly Answer[], run: Run): void {
  run.log.append({
    entries: answers.map(({ entry }) => entry),
    payloads: new Map(answers.flatMap((made) => [...made.payloads])),
    seen: answers.flatMap(({ seen }) => seen),
    reliance: 'durable',
  })
}
