import type { RuleType } from '../../config/rule-types.ts'
import { copyMap, addSuccess, mapSuccesses } from './dedupe-memory.ts'
import type { Effect } from '../../core/tool.ts'
import { isDeduplicated } from './dedupe.ts'
import { HistoryMap } from './history-map.ts'
import { hasCounted, hasFailed, hasSatisfied } from './past-call.ts'
import type { PastBatch, PastCall } from './past-call.ts'
import type { RuleBook } from './rule-kind.ts'
import { failureKey, freshPass, freshTurn } from './rule-state.ts'
import type { Claim, LastingState, PassState, RuleState, TurnState } from './rule-state.ts'

/** Turns of one session may run in parallel, and an idle one may continue. */
const MAX_TURNS = 8

/** A batch was received: its turn and pass become current, and the oldest idle turns are dropped. */
export function foldBatch(state: RuleState, batch: PastBatch, book: RuleBook): RuleState {
  const seen = observeTime(state, batch.at)
  const turn = seen.turns.get(batch.turn) ?? freshTurn(batch.at)
  const turns = copyMap(seen.turns)
  turns.delete(batch.turn)
  for (const [id, { openCalls }] of seen.turns) {
    if (turns.size < MAX_TURNS) break
    if (openCalls === 0) turns.delete(id)
  }
  turns.set(batch.turn, { ...turn, openCalls: turn.openCalls + batch.calls })
  const next = countOpen(beginPass({ ...seen, turns }, batch.pass), batch.calls)
  return isPruneDue(next, batch.at) ? prune(next, book, batch.at) : next
}

/** A call was settled. */
export function foldPastCall(state: RuleState, past: PastCall, book: RuleBook): RuleState {
  const begun = release(beginPass(observeTime(state, past.at), past.pass), past.execution)
  const turn = begun.turns.get(past.turn) ?? freshTurn(past.at)
  return {
    ...begun,
    pass: foldIntoPass(begun.pass, past),
    turns: copyMap(begun.turns).set(past.turn, foldIntoTurn(turn, past)),
    lasting: foldIntoLasting(begun.lasting, past, book),
  }
}

/** More than can be active in one session at a time; older ones have finished, unless a call of theirs waits. */
const MAX_PAUSED = 4

/** Adds calls that have no result yet to the current pass. */
function countOpen(state: RuleState, calls: number): RuleState {
  return { ...state, pass: { ...state.pass, openCalls: state.pass.openCalls + calls } }
}

/** Makes a pass current; an interrupted one continues where it was. */
export function beginPass(state: RuleState, id: string): RuleState {
  if (state.pass.id === id) return state
  const paused = copyMap(state.paused)
  const pass = paused.get(id) ?? freshPass(id)
  paused.delete(id)
  if (state.pass.id !== '') paused.set(state.pass.id, state.pass)
  for (const [oldest, { openCalls }] of paused) {
    if (paused.size <= MAX_PAUSED) break
    if (openCalls === 0) paused.delete(oldest)
  }
  return { ...state, pass, paused }
}

/** A turn begins; a known turn continues. */
export function beginTurn(state: RuleState, id: string, at: number): RuleState {
  return state.turns.has(id) ? state : { ...state, turns: copyMap(state.turns).set(id, freshTurn(at)) }
}

/** A turn is over, and its counts are dropped. */
export function completeTurn(state: RuleState, id: string): RuleState {
  const turns = copyMap(state.turns)
  return turns.delete(id) ? { ...state, turns } : state
}

/** A call passed its last check: until it is settled or released it counts as if it had run. */
export function claim(state: RuleState, call: Claim): RuleState {
  return { ...state, claims: copyMap(state.claims).set(call.execution, call) }
}

/** Releases the claim of a call that did not run after all. */
export function release(state: RuleState, execution: string): RuleState {
  if (!state.claims.has(execution)) return state
  const claims = copyMap(state.claims)
  claims.delete(execution)
  return { ...state, claims }
}

/** For planning: assumes that the call succeeds, which can only help later calls, never forbid them. */
export function assume(
  state: RuleState,
  call: { readonly tool: string; readonly effect: Effect },
): RuleState {
  const assumed = new Set(state.pass.assumed).add(call.tool)
  const assumesChange = state.pass.assumesChange || call.effect !== 'read'
  return { ...state, pass: { ...state.pass, assumed, assumesChange } }
}

/** For planning and for the end of a loop: counts a refusal by this rule, so that the next one escalates. */
export function noteRefusal(state: RuleState, rule: RuleType | null): RuleState {
  const pass = countRefusal(state.pass, rule)
  return pass === state.pass ? state : { ...state, pass }
}

function countRefusal(pass: PassState, rule: RuleType | null): PassState {
  if (rule === 'StartConstraint') return { ...pass, startRefusals: pass.startRefusals + 1 }
  if (rule === 'RequiredBeforeExit' || rule === 'RequiredBeforeExitIf') {
    return { ...pass, exitRefusals: pass.exitRefusals + 1 }
  }
  return pass
}

function foldIntoPass(before: PassState, past: PastCall): PassState {
  const pass = { ...before, openCalls: Math.max(0, before.openCalls - 1) }
  if (!hasCounted(past)) return countRefusal(pass, past.rule)
  const ran = pass.ran.has(past.tool) ? pass.ran : new Set(pass.ran).add(past.tool)
  return { ...pass, ran, succeeded: hasSatisfied(past) ? countSuccess(pass, past.tool, 1) : pass.succeeded }
}

function countSuccess({ succeeded }: PassState, tool: string, by: 1 | -1): PassState['succeeded'] {
  const counts = copyMap(succeeded)
  const count = (succeeded.get(tool) ?? 0) + by
  if (count > 0) counts.set(tool, count)
  else counts.delete(tool)
  return counts
}

/** A success was rolled back after its commit: in its pass, if that is still known, it counts as failed. */
export function foldRollBack(
  state: RuleState,
  { pass: id, tool }: Pick<PastCall, 'pass' | 'tool'>,
): RuleState {
  const takeBack = (pass: PassState): PassState => ({ ...pass, succeeded: countSuccess(pass, tool, -1) })
  if (state.pass.id === id) return { ...state, pass: takeBack(state.pass) }
  const paused = state.paused.get(id)
  return paused === undefined ? state : { ...state, paused: copyMap(state.paused).set(id, takeBack(paused)) }
}

function foldIntoTurn(turn: TurnState, past: PastCall): TurnState {
  const openCalls = Math.max(0, turn.openCalls - 1)
  if (!hasCounted(past)) return { ...turn, openCalls }
  const runs = copyMap(turn.runs).set(past.tool, (turn.runs.get(past.tool) ?? 0) + 1)
  return { ...turn, openCalls, runs, failures: foldFailures(turn.failures, past) }
}

function foldFailures(failures: TurnState['failures'], past: PastCall): TurnState['failures'] {
  if (past.ok && failures.size === 0) return failures
  const key = failureKey(past.tool, past.argsDigest)
  if (past.ok) {
    // A call that changes things may have fixed what failed before.
    return past.effect === 'read' ? failures.with(key, undefined) : HistoryMap.of()
  }
  if (!hasFailed(past)) return failures
  const before = failures.get(key)
  const count = before?.code === past.code ? before.count + 1 : 1
  return failures.with(key, { count, code: past.code })
}

function foldIntoLasting(lasting: LastingState, past: PastCall, book: RuleBook): LastingState {
  // Else a caller could make room for the next call by giving each one too little time.
  if (!hasCounted(past) || (past.code === 'timeout' && past.cutShort !== true)) return lasting
  const { tool, execution, at } = past
  const isNoted = lasting.lastRunAt.get(tool) === at
  const lastRunAt = isNoted ? lasting.lastRunAt : copyMap(lasting.lastRunAt).set(tool, at)
  if (!past.ok || past.effect === null) return { ...lasting, lastRunAt }
  // A command that left nothing behind only looked, and what it looks at may change without a record. One that failed may be tried again.
  const isOpen = past.leftNothing === true || past.hasFailed === true
  const repeatable = past.repeatable || isOpen
  const isDeduped = isDeduplicated(book, { tool, effect: past.effect, repeatable })
  if (!isDeduped) return { ...lasting, lastRunAt }
  return {
    ...lasting,
    lastRunAt,
    dedupe: addSuccess(lasting.dedupe, past, { execution, at }),
  }
}

const PRUNE_EVERY_MS = 60_000

/** Whether it is time to prune. */
function isPruneDue(state: RuleState, now: number): boolean {
  return now - state.lasting.prunedAt >= PRUNE_EVERY_MS
}

/**
 * Drops what no rule can use any more: successes outside the dedupe window, last runs older than every cooldown and
 * period, and turns that never ended. This changes no verdict.
 */
export function prune(state: RuleState, book: RuleBook, now: number): RuleState {
  const { lasting } = state
  const { dedupeWindowMs, turnMaxAgeMs } = book.limits
  const lastRuns = [...lasting.lastRunAt].filter(([, at]) => at + book.longestRestMs > now)
  return {
    ...state,
    turns: new Map([...state.turns].filter(([, { startedAt }]) => startedAt + turnMaxAgeMs > now)),
    lasting: {
      ...lasting,
      prunedAt: now,
      lastRunAt: new Map(lastRuns),
      dedupe: mapSuccesses(lasting.dedupe, (success) => (success.at + dedupeWindowMs > now ? success : null)),
    },
  }
}

/**
 * Records the time of an event. If the clock was set back, anything now in the future counts as having just happened:
 * a cooldown or a window restarts once, instead of lasting until the clock has caught up.
 */
function observeTime(state: RuleState, at: number): RuleState {
  const { lasting } = state
  if (at === lasting.clockAt) return state
  if (at > lasting.clockAt) return { ...state, lasting: { ...lasting, clockAt: at } }
  const back = (time: number): number => Math.min(time, at)
  return {
    ...state,
    turns: new Map([...state.turns].map(([id, turn]) => [id, { ...turn, startedAt: back(turn.startedAt) }])),
    lasting: {
      clockAt: at,
      prunedAt: back(lasting.prunedAt),
      lastRunAt: new Map([...lasting.lastRunAt].map(([tool, time]) => [tool, back(time)])),
      dedupe: mapSuccesses(lasting.dedupe, (success) => ({ ...success, at: back(success.at) })),
    },
  }
}
