import { goOnWith } from '../../core/wait.ts'
import type { Soon } from '../../core/wait.ts'
import type { CallFacts, ClaimFact, PassingFacts } from '../../policy/facts.ts'
import { LANDING_GATES } from '../../policy/gates/gates.ts'
import { APPROVAL_GATE, judge } from '../../policy/judge.ts'
import type { GateFinding } from '../../policy/judge.ts'
import { assume } from '../../policy/rules/fold-history.ts'
import type { RuleState } from '../../policy/rules/rule-state.ts'
import { judgeExtraPaths } from './extra-paths.ts'
import { findTool, gatherFacts, locate, readCall } from './gather-facts.ts'
import type { CallReading, Reading } from './gather-facts.ts'
import { gatherRules } from './gather-rules.ts'
import { gatherGrants } from './grant-call.ts'
import type { Engine, Run } from '../engine.ts'
import { receive } from '../parse/receive.ts'
import type { Batch } from '../batch.ts'
import type { Received, Step } from '../step.ts'
import { prepareJudging } from './prepare-judging.ts'
import { skipOvertaken } from './skip.ts'
import { planOn } from '../memory/rule-history.ts'

/** What a judgement assumes beyond the facts. */
interface Supposition {
  /** The rule history as it would be if the earlier calls of the batch succeed. */
  readonly assumed?: RuleState | null
  /** Whether the runtime may still run missing prerequisites. */
  readonly mayRunFirst?: boolean
  /** The earlier judgement of the call. */
  readonly planned?: Step
}

/** Judges every call of a batch before any of them runs; calls that already have a result are left out. */
export function plan(batch: Batch, run: Run): Soon<readonly Step[]> {
  const { calls, settled } = batch
  const open = settled.size === 0 ? calls : calls.filter(({ execution }) => !settled.has(execution))
  return goOnWith(prepareJudging(open, run), () => planPrepared(batch, run))
}

function planPrepared({ calls, settled, landings, begun, answered }: Batch, run: Run): readonly Step[] {
  const planned = planCalls(calls, run, settled)
  if (landings.size === 0 && begun.size === 0) return skipOvertaken(planned, run)
  const isUnderWay = ({ call: { execution } }: Step): boolean =>
    landings.has(execution) || begun.has(execution)
  const skipped = skipOvertaken(
    planned.filter((step) => !isUnderWay(step)),
    run,
  )
  const rest = skipped.values()
  const judged = new Map(answered?.asked.judged?.map(({ execution, gates }) => [execution, gates]))
  return planned.flatMap((step) =>
    isUnderWay(step)
      ? [judgeUnderWay(step, judged.get(step.call.execution) ?? [], run)]
      : (rest.next().value ?? []),
  )
}

/**
 * A call whose process has run, or whose conversation goes on, was judged before that, and what was found then counts.
 * What the configuration or a gate of the user's own has come to refuse since does not land or go on, whatever the answer
 * is; a call that would be held has run already, and what a gate would ask has been answered.
 */
function judgeUnderWay(step: Step, before: readonly GateFinding[], { engine }: Run): Step {
  const { verdict, error, findings } = judge(step.facts, engine.settings, { gates: LANDING_GATES })
  if (verdict !== 'settle' || error?.code === 'held')
    return { ...step, judgement: { verdict: 'run', isValidated: true, error: null, findings: before } }
  return {
    ...step,
    judgement: { verdict, isValidated: true, error, findings: [...before, ...findings.slice(-1)] },
  }
}

const NONE_SETTLED: Batch['settled'] = new Map()

/** Judges calls in order, each on the assumption that the earlier ones succeed. */
export function planCalls(
  calls: readonly Received[],
  run: Run,
  settled: Batch['settled'] = NONE_SETTLED,
): readonly Step[] {
  const { engine } = run
  engine.workspace.clearPathCache()
  const countOf = countIds(calls)
  const isRuled = engine.rules.book.rules.length > 0
  const steps: Step[] = []
  let assumed: RuleState | null = null
  let index = -1
  for (const call of calls) {
    index += 1
    if (settled.has(call.execution)) continue
    const step = judgeCall({ call, position: index + 1, sameId: countOf(call.id) }, run, { assumed })
    // Deduplication applies even without rules, and a change makes a repeated call a different one.
    const affectsLater = isRuled || step.facts.tool?.effect !== 'read'
    if (affectsLater && index < calls.length - 1) assumed = supposeDone(step, assumed, run)
    steps.push(step)
  }
  return steps
}

const countOne = (): number => 1

/** How many calls carry an id. */
function countIds(calls: readonly Received[]): (id: string) => number {
  if (calls.length === 1) return countOne
  const counts = new Map<string, number>()
  for (const { id } of calls) counts.set(id, (counts.get(id) ?? 0) + 1)
  return (id) => counts.get(id) ?? 1
}

/** The rule history after a call that is assumed to succeed, or that was refused. */
function supposeDone(
  { tool, facts, judgement }: Step,
  assumed: RuleState | null,
  run: Run,
): RuleState | null {
  const { engine } = run
  // A call settled by another gate does not happen, and does not affect the next call.
  if (tool === null || (judgement.verdict === 'settle' && judgement.error?.code !== 'rule_violation'))
    return assumed
  const before = assumed ?? engine.rules.stateFor(run.log, run)
  return facts.rules
    ? planOn(before, facts.rules, tool)
    : assume(before, { tool: tool.name, effect: tool.effect })
}

/** A call with its place in the batch, from 1, and how many calls there carry its id. */
export interface PlacedCall {
  readonly call: Received
  readonly position: number
  readonly sameId: number
}

/** Gathers the facts of one call and judges them. */
export function judgeCall(
  { call, position, sameId }: PlacedCall,
  run: Run,
  supposition: Supposition = {},
): Step {
  const { engine } = run
  const tool = findTool(call, run)
  const read: CallReading = {
    call,
    tool,
    reading: readCall(tool, call, engine, (supposition.assumed ?? null) !== null),
  }
  const { passing, basis } = gatherPassing(read, supposition, run)
  const facts = gatherFacts(read, { position, sameId }, passing, run)
  return { call, tool, facts, judgement: judge(facts, engine.settings, { cache: engine.findings }), basis }
}

/** Whether the runtime may run a tool by itself: `{}` fits its schema, and policy allows it or an approver is available. */
export function mayRunByItself(name: string, run: Run): boolean {
  const { engine } = run
  if (!engine.rules.book.mayStart(name)) return false
  const call = receive({ id: name, name, args: {} }, '', engine.digest)
  const own: Run = { ...run, origin: 'runtime' }
  const { verdict } = judgeCall({ call, position: 1, sameId: 1 }, own, { mayRunFirst: false }).judgement
  return verdict === 'run' || (verdict === 'ask' && run.approve !== null)
}

const mayNotRun = (): boolean => false

/** Judges a call again on what may have changed since; the findings about its approval are kept. */
export function judgeAgain(planned: Step, run: Run, mayRunFirst: boolean): Step {
  const { engine } = run
  const { call, tool } = planned
  if (tool === null) return planned
  const reading = relocate(planned.facts, engine)
  const { passing, basis } = gatherPassing({ call, tool, reading }, { mayRunFirst, planned }, run)
  const { claims } = reading
  // The gates are pure: the same facts give the same judgement.
  if (
    areSamePassing(planned.facts, passing) &&
    claims.every((claim, at) => isSameClaim(claim, planned.facts.claims[at]))
  )
    return basis === planned.basis ? planned : { ...planned, basis }
  const facts = { ...planned.facts, claims, ...passing }
  const approvals = planned.judgement.findings.filter(({ gate }) => gate === APPROVAL_GATE)
  const judgement = judge(facts, engine.settings, { cache: engine.findings })
  return {
    call,
    tool,
    facts,
    judgement: { ...judgement, findings: [...judgement.findings, ...approvals] },
    basis,
  }
}

/** Resolves the claimed paths again; the meaning of a call does not change, but where its paths lead may. */
function relocate(facts: CallFacts, engine: Engine): Reading {
  if (facts.claims.length === 0) return facts
  const { tool, argumentProblems, argumentError } = facts
  const claims = facts.claims.map(({ claim }) => locate(claim, engine))
  return { tool, argumentProblems, argumentError, claims }
}

/** Gathers the facts that other calls, other processes or time may change. */
function gatherPassing(
  read: CallReading,
  { assumed = null, mayRunFirst = true, planned }: Supposition,
  run: Run,
): { readonly passing: PassingFacts; readonly basis: RuleState | null } {
  const { engine } = run
  const { call, tool, reading } = read
  const effect = reading.tool?.effect
  const mayRun = mayRunFirst ? mayRunByItself : mayNotRun
  const ruled =
    tool === null
      ? null
      : gatherRules({ tool, effect: effect ?? tool.effect, call, planned }, assumed, mayRun, run)
  const rules = ruled?.fact ?? null
  const extraPaths = judgeExtraPaths(reading.tool?.extraAccess ?? null, engine)
  const { grant, ignoredGrants, changedStart } = gatherGrants(read, extraPaths, rules, run)
  const passing: PassingFacts = {
    shell: effect === 'spawn' && !run.isDryRun ? engine.shell.status() : null,
    extraPaths,
    rules,
    grant,
    ignoredGrants,
    changedStart,
    gates: engine.gateRunner?.answered.get(call)?.answers ?? null,
    resources: effect === undefined ? null : engine.availability(run.isDryRun ? 'read' : effect),
  }
  return { passing, basis: ruled?.basis ?? null }
}

/** A fact missing here would count as unchanged, so the compiler checks that all are listed. */
const COMPARED = Object.keys({
  shell: true,
  extraPaths: true,
  rules: true,
  grant: true,
  ignoredGrants: true,
  changedStart: true,
  gates: true,
  resources: true,
} satisfies Record<keyof PassingFacts, true>) as readonly (keyof PassingFacts)[]

function areSamePassing(before: CallFacts, now: PassingFacts): boolean {
  for (const fact of COMPARED) if (before[fact] !== now[fact]) return false
  return true
}

function isSameClaim(now: ClaimFact, before: ClaimFact | undefined): boolean {
  return (
    before !== undefined && now.error === null && before.error === null && now.absolute === before.absolute
  )
}
