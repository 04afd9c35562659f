import { createHash } from 'node:crypto'
import type { RuleType } from '../../../src/config/rule-types.ts'
import type { Origin } from '../../../src/core/call.ts'
import type { ErrorCode } from '../../../src/core/error.ts'
import { canonicalJson } from '../../../src/core/json/canonical.ts'
import type { JsonObject } from '../../../src/core/json/value.ts'
import { judgeDedupe } from '../../../src/policy/rules/dedupe.ts'
import {
  assume,
  claim,
  foldBatch,
  foldPastCall,
  noteRefusal,
} from '../../../src/policy/rules/fold-history.ts'
import { decideByRules, judgeRules } from '../../../src/policy/rules/judge-rules.ts'
import type { PastBatch, PastCall } from '../../../src/policy/rules/past-call.ts'
import type { RuleBook, RuleFacts, Violation } from '../../../src/policy/rules/rule-kind.ts'
import { NO_HISTORY } from '../../../src/policy/rules/rule-state.ts'
import type { RuleState } from '../../../src/policy/rules/rule-state.ts'

/** How a scripted tool ends when it is let run. */
export type End = 'ok' | 'execution_failed' | 'timeout'

export interface ScriptedCall {
  readonly tool: string
  readonly args?: JsonObject
  readonly ends?: End
  readonly effect?: RuleFacts['effect']
  readonly repeatable?: boolean
}

type Event = { readonly batch: PastBatch } | { readonly call: PastCall }

/** `ok`, a code, or `ask` where a person would have to consent; rows of the runtime say so. */
export type Row = string

type Refusal = { readonly is: 'refused'; readonly code: ErrorCode; readonly violation: Violation | null }

type Verdict =
  | Refusal
  | { readonly is: 'open'; readonly runFirst: readonly string[]; readonly isAsked: boolean }

/** A corridor that has nothing but rules in it, and a log from which its state can be made again. */
export function openCorridor(book: RuleBook, bareTools: ReadonlySet<string>) {
  const log: Event[] = []
  let state: RuleState = NO_HISTORY
  let now = 1_000_000
  let workspaceCounter = 0
  let executions = 0

  function append(event: Event): void {
    log.push(event)
    state = fold(state, event, book)
  }

  function factsFor(call: ScriptedCall, turn: string): RuleFacts {
    executions += 1
    const args = call.args ?? {}
    return {
      execution: `x${executions}`,
      turn,
      tool: call.tool,
      effect: call.effect ?? 'external',
      repeatable: call.repeatable ?? false,
      args,
      inputSchema: { type: 'object', properties: { action: { type: 'string' } } },
      argsDigest: createHash('sha256').update(canonicalJson(args)).digest('hex'),
      workspaceCounter,
      bareTools,
      mayRunFirst: true,
    }
  }

  function judge(at: RuleState, facts: RuleFacts): Verdict {
    const dedupe = judgeDedupe(book, at, facts, now)
    if (!dedupe.ok) return { is: 'refused', code: dedupe.error.code, violation: null }
    const decision = decideByRules(judgeRules(book, at, facts, now))
    if (decision.is === 'refused') {
      return { is: 'refused', code: 'rule_violation', violation: decision.violation }
    }
    return { is: 'open', runFirst: decision.runFirst, isAsked: decision.consents.length > 0 }
  }

  function settle(facts: RuleFacts, pass: string, code: ErrorCode | null, more: Partial<PastCall>): Row {
    const { execution, turn, tool, effect, repeatable, argsDigest } = facts
    const base = { execution, turn, pass, tool, effect, repeatable, argsDigest, workspaceCounter }
    const origin: Origin = 'model'
    const fate = { ok: code === null, code, at: now, hasRun: code === null, origin, rule: null }
    append({ call: { ...base, ...fate, ...more } })
    return code ?? 'ok'
  }

  function run(call: ScriptedCall, facts: RuleFacts, pass: string, origin: Origin): Row {
    state = claim(state, facts)
    const end = call.ends ?? 'ok'
    const row = settle(facts, pass, end === 'ok' ? null : end, { hasRun: true, origin })
    if (end === 'ok' && facts.effect === 'edit') workspaceCounter += 1
    return origin === 'runtime' ? `${call.tool} by the runtime: ${row}` : row
  }

  function refuse(facts: RuleFacts, pass: string, verdict: Refusal): Row {
    return settle(facts, pass, verdict.code, { rule: ruleOf(verdict) })
  }

  function passDoor(call: ScriptedCall, facts: RuleFacts, pass: string): readonly Row[] {
    const rows: Row[] = []
    let verdict = judge(state, { ...facts, workspaceCounter })
    if (verdict.is === 'open' && verdict.runFirst.length > 0) {
      for (const tool of verdict.runFirst)
        rows.push(run({ tool }, factsFor({ tool }, facts.turn), pass, 'runtime'))
      verdict = judge(state, { ...facts, workspaceCounter, mayRunFirst: false })
    }
    if (verdict.is === 'refused') return [...rows, refuse(facts, pass, verdict)]
    if (verdict.isAsked) {
      settle(facts, pass, 'approval_denied', {})
      return [...rows, 'ask']
    }
    return [...rows, run(call, { ...facts, workspaceCounter }, pass, 'model')]
  }

  return {
    get state() {
      return state
    },
    get now() {
      return now
    },
    wait(seconds: number): void {
      now += seconds * 1000
    },
    /** The process ends, and another one reads the log. */
    restart(): void {
      state = log.reduce((folded, event) => fold(folded, event, book), NO_HISTORY)
    },
    runBatch(calls: readonly ScriptedCall[], turn: string, pass: string): readonly Row[] {
      append({ batch: { turn, pass, calls: calls.length, at: now } })
      let plan = state
      const steps = calls.map((call) => {
        const facts = factsFor(call, turn)
        const verdict = judge(plan, facts)
        plan = verdict.is === 'open' ? assume(plan, facts) : noteRefusal(plan, ruleOf(verdict))
        return { call, facts, verdict }
      })
      return steps.flatMap(({ call, facts, verdict }) =>
        verdict.is === 'refused' ? [refuse(facts, pass, verdict)] : passDoor(call, facts, pass),
      )
    },
  }
}

function ruleOf({ violation }: Refusal): RuleType | null {
  return violation === null || violation.rule === 'Repetition' ? null : violation.rule
}

function fold(state: RuleState, event: Event, book: RuleBook): RuleState {
  return 'batch' in event ? foldBatch(state, event.batch, book) : foldPastCall(state, event.call, book)
}
