import { RULE_TYPES } from '../config/rule-types.ts'
import type { RuleType } from '../config/rule-types.ts'
import type { Registry } from '../core/registry.ts'
import type { Tool } from '../core/tool.ts'
import type { BatchEntry, SettledEntry, StoredEntry } from '../journal/entry.ts'
import type { SessionLog } from '../journal/log.ts'
import { judgeDedupe } from '../policy/rules/dedupe.ts'
import { assume, claim, foldBatch, foldPastCall, noteRefusal } from '../policy/rules/fold-history.ts'
import { decideByRules, judgeRules } from '../policy/rules/judge-rules.ts'
import type { PastCall } from '../policy/rules/past-call.ts'
import type { RuleBook, RuleFacts } from '../policy/rules/rule-kind.ts'
import { NO_HISTORY } from '../policy/rules/rule-state.ts'
import type { RuleState } from '../policy/rules/rule-state.ts'
import type { RuleFact } from '../policy/facts.ts'

/** What the rules remember of the sessions a runtime has open. It is read off the log, so a restart changes nothing. */
export interface RuleKeeper {
  readonly book: RuleBook
  /** What is remembered right now. */
  readonly recall: (log: SessionLog) => RuleState
  /** How often the workspace has changed, as a number that differs whenever it has. */
  readonly workspaceCounter: (log: SessionLog) => number
  /** A call has passed its door. */
  readonly claim: (log: SessionLog, call: RuledCall) => void
}

/** What rules are told of a call. */
export interface RuledCall {
  readonly execution: string
  readonly turn: string
  readonly tool: string
  readonly argsDigest: string
}

interface Memory {
  state: RuleState
  readUpTo: number
  changedAt: number
  readonly dry: Set<string>
  readonly batches: Map<string, { readonly entry: BatchEntry; pass: string }>
}

/** Begins to keep what the rules of a book look back at. */
export function createRuleKeeper(book: RuleBook, registry: Registry): RuleKeeper {
  const memories = new WeakMap<SessionLog, Memory>()

  function memoryOf(log: SessionLog): Memory {
    const known = memories.get(log) ?? {
      state: NO_HISTORY,
      readUpTo: 0,
      changedAt: 0,
      dry: new Set<string>(),
      batches: new Map(),
    }
    memories.set(log, known)
    for (const stored of log.entries(known.readUpTo + 1)) fold(known, stored)
    return known
  }

  function fold(memory: Memory, { seq, at, entry }: StoredEntry): void {
    memory.readUpTo = seq
    if (entry.kind === 'batch') {
      // What was only shown has not happened.
      if (entry.isDryRun === true) {
        memory.dry.add(entry.batch)
        return
      }
      memory.batches.set(entry.batch, { entry, pass: entry.turn })
      memory.state = foldBatch(
        memory.state,
        { turn: entry.turn, pass: entry.turn, calls: entry.calls.length, at },
        book,
      )
    } else if (entry.kind === 'continued') {
      // An answered approval wakes the batch up, and a wake-up is a pass of its own.
      const batch = memory.batches.get(entry.batch)
      if (batch !== undefined) batch.pass = entry.batch
    } else if (entry.kind === 'settled') {
      if (memory.dry.has(entry.batch)) return
      memory.state = foldPastCall(memory.state, pastCall(entry, at, memory), book)
      if (entry.changes.length > 0) memory.changedAt = seq
    } else if (entry.kind === 'undo' || entry.kind === 'redo') memory.changedAt = seq
  }

  function pastCall(entry: SettledEntry, at: number, memory: Memory): PastCall {
    const batch = memory.batches.get(entry.batch)
    const declared = batch?.entry.calls.find(({ execution }) => execution === entry.execution)
    return {
      execution: entry.execution,
      turn: entry.turn,
      pass: batch?.pass ?? entry.turn,
      tool: entry.name,
      effect: entry.effect,
      idempotent: registry.find(entry.name)?.idempotent ?? false,
      argsDigest: declared?.args ?? '',
      ok: entry.error === null,
      code: entry.error?.code ?? null,
      at,
      hasRun: entry.moves.some(({ state }) => state === 'EXECUTING'),
      origin: batch?.entry.origin ?? 'person',
      workspaceCounter: memory.changedAt,
      rule: refusingRule(entry),
    }
  }

  return {
    book,
    recall: (log) => memoryOf(log).state,
    workspaceCounter: (log) => memoryOf(log).changedAt,
    claim(log, call) {
      const memory = memoryOf(log)
      memory.state = claim(memory.state, call)
    },
  }
}

/** The gate of the rules begins its fact with the rule that refused. */
function refusingRule({ error, gates }: SettledEntry): RuleType | null {
  if (error?.code !== 'rule_violation') return null
  const word = gates.findLast(({ gate }) => gate === 'rules')?.fact.split(':')[0] ?? ''
  return Object.hasOwn(RULE_TYPES, word) ? (word as RuleType) : null
}

/** Judges one call by the rules, on what is remembered or assumed. */
export function judgeByRules(keeper: RuleKeeper, state: RuleState, facts: RuleFacts, now: number): RuleFact {
  return {
    dedupe: judgeDedupe(keeper.book, state, facts, now),
    decision: decideByRules(judgeRules(keeper.book, state, facts, now)),
  }
}

/** What planning goes on with after a call: an open one is taken to succeed, a refusal weighs on the next. */
export function planOn(state: RuleState, fact: RuleFact, tool: Tool): RuleState {
  if (fact.decision.is === 'refused') {
    const { rule } = fact.decision.violation
    return noteRefusal(state, rule === 'Repetition' ? null : rule)
  }
  return assume(state, { tool: tool.name, effect: tool.effect })
}
