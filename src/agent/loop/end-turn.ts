import { LAST_ESCALATION } from '../../config/fixed-values.ts'
import type { ToolResult } from '../../core/result.ts'
import { decideNext } from '../../pipeline/resume/decide-next.ts'
import { describeRequired } from './begin-turn.ts'
import type { Stop } from '../events.ts'
import { endedAs, relay } from './run-calls.ts'
import type { ModelSetup } from '../model-setup.ts'
import { logSteering } from './log-steering.ts'
import { isOverBudget, wouldOverspend, whyStopped } from './turn-state.ts'
import type { Turn } from './turn-state.ts'

/** Decides how a turn continues after the results of a batch. */
export async function decideAfter(results: readonly ToolResult[], turn: Turn): Promise<Stop | null> {
  const { setup, signal, move } = turn
  if (signal.aborted || results.some(endedAs('cancelled'))) {
    move('tool_loop', 'cancel')
    return whyStopped(turn)
  }
  if (hasUsedRounds(turn)) {
    move('tool_loop', 'limit')
    return 'max_iterations'
  }
  if (isOverBudget(turn)) {
    move('tool_loop', 'limit')
    return 'budget'
  }
  const isSteered = await logSteering(turn)
  const next = isSteered ? 'go_on' : decideNext(results, setup.settings)
  turn.isWokenUp = !isSteered && isHeartbeat(results, setup)
  if (next !== 'go_on') return endOrGoOn(turn, 'tool_loop')
  if (wouldOverspend(turn)) {
    move('tool_loop', 'limit')
    return 'budget'
  }
  move('tool_loop', 'results')
  return null
}

/** After the first refusal for the limit, the model may send one more message. */
function hasUsedRounds({ rounds, setup }: Turn): boolean {
  return rounds > setup.settings['tools.max_tool_iterations_per_user_turn'] + 1
}

/** With heartbeats, continuing counts as a wake-up, unless a rule continues by itself. */
function isHeartbeat(results: readonly ToolResult[], { settings }: ModelSetup): boolean {
  return (
    settings['tools.continuation'] === 'heartbeat' &&
    !results.some(({ continuation }) => continuation?.has_continue_rule === true)
  )
}

/** Ends a turn, unless the user has sent more text or a rule requires something first. */
export async function endOrGoOn(turn: Turn, from: 'streaming' | 'tool_loop'): Promise<Stop | null> {
  const { setup, emit, move, signal } = turn
  const goOn = (): null => {
    if (from === 'streaming') move('streaming', 'steer')
    else move('tool_loop', 'results')
    return null
  }
  // What must come before the end is due at the end of the turn, which is not that of a delegated conversation.
  if (turn.parent !== null) return stopFor(turn, from, 'end')
  if (await logSteering(turn)) return wouldOverspend(turn) ? stopFor(turn, from, 'budget') : goOn()
  const end = await setup.runtime.finishTurn({
    session: setup.session,
    turn: turn.id,
    origin: 'model',
    dryRun: setup.isDryRun,
    signal,
    onEvent: (event) => relay(event, emit, () => true),
  })
  turn.missing = end.missing
  const pending = end.results.filter(endedAs('approval_required'))
  if (end.results.length > 0) {
    const waiting = pending.map(({ name }) => `${name} is required before the end, and waits for approval.`)
    const results = end.results.filter((row) => !pending.includes(row))
    const rows = results.length === 0 ? [] : [describeRequired(results)]
    setup.log.sayUser(turn.id, [...rows, ...waiting].join('\n\n'))
  }
  if (pending.length > 0) {
    await announcePending(turn)
    return stopFor(turn, from, 'approval_pending')
  }
  if (end.mayEnd || end.escalation >= LAST_ESCALATION) return stopFor(turn, from, 'end')
  turn.isAnotherAnswer = from === 'streaming'
  setup.log.sayUser(turn.id, end.error?.message ?? '')
  turn.rounds += 1
  if (hasUsedRounds(turn)) return stopFor(turn, from, 'max_iterations')
  return wouldOverspend(turn) ? stopFor(turn, from, 'budget') : goOn()
}

/** Emits the questions of a session that wait for an answer; a delegated conversation leaves it to the one around it. */
export async function announcePending({
  setup,
  emit,
  parent,
}: Pick<Turn, 'setup' | 'emit' | 'parent'>): Promise<void> {
  if (parent !== null) return
  for (const pending of await setup.runtime.pending({ session: setup.session }))
    emit({ event: 'approval', ...pending })
}

function stopFor({ move }: Turn, from: 'streaming' | 'tool_loop', stop: Stop): Stop {
  if (from === 'streaming') move('streaming', 'end')
  else move('tool_loop', 'exit')
  return stop
}
