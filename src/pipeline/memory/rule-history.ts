import { RULE_TYPES } from '../../config/rule-types.ts'
import type { RuleType } from '../../config/rule-types.ts'
import type { Registry } from '../../core/registry.ts'
import { memoizeLast } from '../../core/memoize.ts'
import type { Tool } from '../../core/tool.ts'
import type { BatchEntry, NoteEntry, SettledEntry, StoredEntry } from '../../journal/entries/entry.ts'
import type { SessionLog } from '../../journal/log.ts'
import { judgeDedupe } from '../../policy/rules/dedupe.ts'
import type { DedupeVerdict } from '../../policy/rules/dedupe.ts'
import {
  assume,
  beginPass,
  claim,
  completeTurn,
  foldBatch,
  foldPastCall,
  noteRefusal,
} from '../../policy/rules/fold-history.ts'
import { decideByRules, judgeRules } from '../../policy/rules/judge-rules.ts'
import type { RuleDecision } from '../../policy/rules/judge-rules.ts'
import type { PastCall } from '../../policy/rules/past-call.ts'
import type { RuleBook, RuleFacts } from '../../policy/rules/rule-kind.ts'
import { NO_HISTORY } from '../../policy/rules/rule-state.ts'
import type { LastingState, RuleState } from '../../policy/rules/rule-state.ts'
import type { RuleFact } from '../../policy/facts.ts'
import { bornAt, readRecent } from './read-recent.ts'
import { EXIT_REFUSED, readCompletedTurn, readExitRefusal, TURN_COMPLETED } from './turn-notes.ts'

/** What the rules remember of the sessions a runtime has open. It is read off the log, so a restart changes nothing. */
export interface RuleHistory {
  readonly book: RuleBook
  /** What is remembered right now, seen from a turn and a pass. */
  readonly stateFor: (log: SessionLog, place: TurnPlace) => RuleState
  /** What is remembered across turns. */
  readonly recallLasting: (log: SessionLog) => LastingState
  /** The turn that was at work last, or null. */
  readonly newestTurn: (log: SessionLog) => string | null
  /** The latest pass of a turn; the first one of a turn has its id. */
  readonly passOf: (log: SessionLog, turn: string) => string
  /** How often the workspace has changed, as a number that differs whenever it has. */
  readonly workspaceCounter: (log: SessionLog) => number
  /** A call has passed its door. */
  readonly claim: (log: SessionLog, call: RuledCall) => void
}

/** Where in a session somebody stands. */
export interface TurnPlace {
  readonly turn: string
  readonly pass: string
  /** Whether nothing of the turn can be on record yet. */
  readonly isFreshTurn: boolean
}

/** What rules are told of a call. */
export interface RuledCall {
  readonly execution: string
  readonly turn: string
  readonly tool: string
  readonly argsDigest: string
}

interface CachedHistory {
  readonly entry: BatchEntry
  pass: string
  open: number
}

interface Memory {
  readonly log: SessionLog
  state: RuleState
  readUpTo: number
  changedAt: number
  /** Everything from this moment on has been read. */
  readonly since: number
  readonly batches: Map<string, CachedHistory>
  /** The latest pass of each turn. */
  readonly passes: Map<string, string>
}

/** Begins to keep what the rules of a book look back at. Without a clock every log is read from its beginning. */
export function createRuleHistory(
  book: RuleBook,
  registry: Registry,
  now: () => number = () => 0,
): RuleHistory {
  const memories = new WeakMap<SessionLog, Memory>()
  const lookBackMs = Math.max(book.limits.dedupeWindowMs, book.longestRestMs)

  function memoryOf(log: SessionLog, turn: string | null): Memory {
    const known = memories.get(log)
    const memory = known === undefined || isTooShort(known, turn) ? begin(log, turn, known) : known
    if (memory !== known) memories.set(log, memory)
    if (memory.readUpTo < log.latestSeq())
      for (const stored of log.entries(memory.readUpTo + 1)) fold(memory, stored)
    return memory
  }

  /** A turn may have begun before what was read. */
  function isTooShort({ since }: Memory, turn: string | null): boolean {
    return turn !== null && since > -Infinity && bornAt(turn) < since
  }

  function begin(log: SessionLog, turn: string | null, known: Memory | undefined): Memory {
    const recent = readRecent(log, now() - lookBackMs, turn)
    const memory: Memory = {
      log,
      // What is running at the moment is on no record yet.
      state: known === undefined ? NO_HISTORY : { ...NO_HISTORY, claims: known.state.claims },
      readUpTo: 0,
      changedAt: 0,
      since: recent?.since ?? -Infinity,
      batches: new Map(),
      passes: new Map(),
    }
    for (const stored of recent?.entries ?? []) fold(memory, stored)
    if (recent !== null) memory.readUpTo = log.latestSeq()
    return memory
  }

  function fold(memory: Memory, { seq, at, entry }: StoredEntry): void {
    memory.readUpTo = seq
    if (entry.kind === 'batch') {
      const { turn, pass = turn } = entry
      memory.batches.set(entry.batch, { entry, pass, open: entry.calls.length })
      // What was only shown has not happened.
      if (entry.isDryRun === true) return
      memory.passes.set(turn, pass)
      memory.state = foldBatch(memory.state, { turn, pass, calls: entry.calls.length, at }, book)
      for (const known of memory.passes.keys())
        if (!memory.state.turns.has(known)) memory.passes.delete(known)
    } else if (entry.kind === 'continued') {
      const batch = memory.batches.get(entry.batch)
      if (batch === undefined) return
      batch.pass = entry.pass ?? entry.batch
      memory.passes.set(batch.entry.turn, batch.pass)
    } else if (entry.kind === 'settled') {
      const batch = memory.batches.get(entry.batch) ?? recoverBatch(memory.log, entry)
      if (batch?.entry.isDryRun !== true)
        memory.state = foldPastCall(memory.state, pastCall(entry, at, batch, memory.changedAt), book)
      if (entry.changes.length > 0) memory.changedAt = seq
      if (batch !== null && --batch.open === 0) memory.batches.delete(entry.batch)
    } else if (entry.kind === 'note') foldNote(memory, entry)
    else if (entry.kind === 'undo' || entry.kind === 'redo') memory.changedAt = seq
  }

  function foldNote(memory: Memory, { about, data }: NoteEntry): void {
    const refusal = about === EXIT_REFUSED ? readExitRefusal(data) : null
    if (refusal !== null) memory.state = noteRefusal(beginPass(memory.state, refusal.pass), refusal.rule)
    const over = about === TURN_COMPLETED ? readCompletedTurn(data) : null
    if (over === null) return
    memory.state = completeTurn(memory.state, over)
    memory.passes.delete(over)
  }

  function pastCall(entry: SettledEntry, at: number, batch: CachedHistory | null, counter: number): PastCall {
    const declared = batch?.entry.calls.find(({ execution }) => execution === entry.execution)
    return {
      execution: entry.execution,
      turn: entry.turn,
      pass: batch?.pass ?? entry.turn,
      tool: entry.name,
      effect: entry.effect,
      repeatable: registry.find(entry.name)?.repeatable ?? false,
      argsDigest: declared?.args ?? '',
      ok: entry.error === null,
      code: entry.error?.code ?? null,
      at,
      hasRun: entry.moves.some(({ state }) => state === 'EXECUTING'),
      origin: batch?.entry.origin ?? 'person',
      workspaceCounter: counter,
      rule: refusingRule(entry),
    }
  }

  return {
    book,
    stateFor: (log, { turn, pass, isFreshTurn }) =>
      beginPass(memoryOf(log, isFreshTurn ? null : turn).state, pass),
    recallLasting: (log) => memoryOf(log, null).state.lasting,
    newestTurn: (log) => [...memoryOf(log, null).state.turns.keys()].at(-1) ?? null,
    passOf: (log, turn) => memoryOf(log, turn).passes.get(turn) ?? turn,
    workspaceCounter: (log) => memoryOf(log, null).changedAt,
    claim(log, call) {
      const memory = memoryOf(log, null)
      memory.state = claim(memory.state, call)
    },
  }
}

/** The batch of a call that was received before what was read, such as one that waited long for an answer. */
function recoverBatch(log: SessionLog, { execution, batch, turn }: SettledEntry): CachedHistory | null {
  for (const { entry } of log.about(execution))
    if (entry.kind === 'batch' && entry.batch === batch) return { entry, pass: turn, open: Infinity }
  return null
}

/** The gate of the rules begins its fact with the rule that refused. */
function refusingRule({ error, gates }: SettledEntry): RuleType | null {
  if (error?.code !== 'rule_violation') return null
  const word = gates.findLast(({ gate }) => gate === 'rules')?.fact.split(':')[0] ?? ''
  return Object.hasOwn(RULE_TYPES, word) ? (word as RuleType) : null
}

/** Judges one call by the rules, on what is remembered or assumed. */
export function judgeByRules(keeper: RuleHistory, state: RuleState, facts: RuleFacts, now: number): RuleFact {
  const { book } = keeper
  return factOf(judgeDedupe(book, state, facts, now), decideByRules(judgeRules(book, state, facts, now)))
}

/** Where the same was said before it is the same fact, so that whoever compares need not judge again. */
const factOf = memoizeLast((dedupe: DedupeVerdict, decision: RuleDecision): RuleFact => ({
  dedupe,
  decision,
}))

/** What planning goes on with after a call: an open one is taken to succeed, a refusal weighs on the next. */
export function planOn(state: RuleState, fact: RuleFact, tool: Tool): RuleState {
  if (fact.decision.is === 'refused') {
    const { rule } = fact.decision.violation
    return noteRefusal(state, rule === 'Repetition' ? null : rule)
  }
  return assume(state, { tool: tool.name, effect: tool.effect })
}
