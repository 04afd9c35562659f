import { isJsonObject } from '../../core/json/value.ts'
import type { ModelError } from '../../model/model-client.ts'
import { beginTurn } from './begin-turn.ts'
import { addUsage, NOTHING_USED } from './budget.ts'
import { announcePending, decideAfter, endOrGoOn } from './end-turn.ts'
import type { Cut, Stop, TurnEvent } from '../events.ts'
import { readTurnChanges } from '../log/turn-changes.ts'
import { receiveMessage } from './receive-message.ts'
import type { ReceivedReply } from './receive-message.ts'
import { readCalls } from './read-calls.ts'
import { endedAs, runCalls } from './run-calls.ts'
import { compactIfFull, compactSetup } from './compact-setup.ts'
import type { ModelSetup } from '../model-setup.ts'
import { isOverBudget, logSteering, whyStopped } from './turn-state.ts'
import type { Turn, TurnContext } from './turn-state.ts'

/** Runs a turn to its end: the model answers, its calls run, it gets the results, and so on until it is done. */
export async function runTurn(prompt: string | null, setup: ModelSetup, context: TurnContext): Promise<void> {
  const begun = await beginTurn(prompt, setup, context)
  if (begun === null) return
  const turn: Turn = {
    ...context,
    setup,
    id: begun.turn,
    startedAt: setup.source.elapsed(),
    usage: NOTHING_USED,
    newest: null,
    rounds: begun.rounds,
    isWokenUp: false,
    isAnotherAnswer: false,
    missing: [],
    isRefusedForSize: false,
  }
  for (let stop: Stop | 'failed' | null = null; stop === null;) {
    const reply = await askModel(turn)
    if (reply === null) {
      context.move('streaming', 'end')
      context.emit({ event: 'done', stop: 'budget', ...missingIn(turn), ...spentIn(turn) })
      return
    }
    if (reply.is === 'failed' && turn.setup.withFencedCalls !== null && lacksTools(reply.error)) {
      turn.setup = turn.setup.withFencedCalls()
      context.replaceSetup(turn.setup)
      continue
    }
    if (reply.is === 'failed' && reply.error.isTooLong && !turn.isRefusedForSize) {
      turn.isRefusedForSize = true
      const { point, usage } = await compactSetup(turn.setup, { ...context, cause: 'too_long', words: null })
      turn.usage = addUsage(turn.usage, usage)
      if (point !== null) continue
    }
    stop = await handleReply(reply, turn)
    // Text that came too late for this turn is the first that the next one sends, after pending results.
    if (stop !== null && stop !== 'approval_pending' && stop !== 'held') logSteering(turn)
    if (stop !== null && stop !== 'failed')
      context.emit({ event: 'done', stop, ...cutOf(stop, reply), ...missingIn(turn), ...spentIn(turn) })
  }
}

function spentIn({
  id,
  usage,
  setup,
}: Turn): Pick<Extract<TurnEvent, { event: 'done' }>, 'usage' | 'changes'> {
  return { usage, changes: readTurnChanges(setup.source.log, id) }
}

/** Why the last message of an ended turn is incomplete, if it is. */
function cutOf(stop: Stop, { reason }: ReceivedReply): { readonly cut?: Cut } {
  if (stop !== 'end' || reason === null || reason === 'stop' || reason === 'calls') return {}
  return { cut: reason }
}

function missingIn({ missing }: Turn): { readonly missing?: readonly string[] } {
  return missing.length === 0 ? {} : { missing }
}

/** Some servers only report missing tool support when tools are sent. */
function lacksTools({ code, message }: ModelError): boolean {
  return code === 'bad_request' && /\btools?\b|function.call/i.test(message) && /support/i.test(message)
}

/** Asks the model for a message; null if the budget is used up. */
async function askModel(turn: Turn): Promise<ReceivedReply | null> {
  const { setup, emit, signal } = turn
  if (isOverBudget(turn)) return null
  turn.usage = addUsage(turn.usage, await compactIfFull(setup, { emit, signal }))
  if (isOverBudget(turn)) return null
  const { model, log, settings, retries } = setup
  const prices = settings['model.prices']
  const reply = await receiveMessage(setup.request(), {
    model,
    turn: turn.id,
    reading: setup.reading,
    log,
    emit,
    signal,
    retries,
    prices,
    estimatedTokens: setup.estimatedTokens(),
    draftMs: settings['conversation.draft_seconds'] * 1000,
    elapsed: setup.source.elapsed,
    isAnother: turn.isAnotherAnswer,
  })
  turn.isAnotherAnswer = false
  turn.usage = addUsage(turn.usage, reply.usage)
  turn.newest = reply.usage
  return reply
}

/** Acts on a message. Null means that the model continues. */
async function handleReply(reply: ReceivedReply, turn: Turn): Promise<Stop | 'failed' | null> {
  const { setup, emit, move } = turn
  if (reply.is === 'failed') {
    move('streaming', 'fail')
    emit({ event: 'error', code: reply.error.code, message: reply.error.message })
    return 'failed'
  }
  if (reply.parts.length > 0 || reply.is === 'whole')
    setup.log.sayAssistant(turn.id, reply.parts, setup.model.id)
  const calls = readCalls(reply.parts, setup.reading)
  if (calls.length === 0) {
    if (reply.is === 'whole') return endOrGoOn(turn, 'streaming')
    move('streaming', 'cancel')
    return whyStopped(turn)
  }
  move('streaming', 'calls')
  turn.rounds += 1
  for (const { id, name, args } of calls)
    emit({ event: 'call', id, name, args: isJsonObject(args) ? args : {} })
  const results = await runCalls(calls, turn)
  if (results.some(endedAs('approval_required'))) {
    await announcePending(turn)
    move('tool_loop', 'pending')
    return 'approval_pending'
  }
  const held = results.filter(endedAs('held'))
  if (held.length > 0) {
    for (const result of held) emit({ event: 'result', ...result })
    move('tool_loop', 'pending')
    return 'held'
  }
  setup.log.sayResults(turn.id, setup.model.id)
  return decideAfter(results, turn)
}
