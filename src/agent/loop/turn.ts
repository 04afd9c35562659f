import { isJsonObject } from '../../core/json/value.ts'
import type { ToolResult } from '../../core/result.ts'
import type { ModelError } from '../../model/model-client.ts'
import { beginTurn } from './begin-turn.ts'
import { NOTHING_USED } from './budget.ts'
import { announcePending, decideAfter, endOrGoOn } from './end-turn.ts'
import type { Cut, Stop, TurnEvent } from '../events.ts'
import { readTurnChanges } from '../log/turn-changes.ts'
import { receiveMessage } from './receive-message.ts'
import type { ReceivedReply } from './receive-message.ts'
import { readCalls } from './read-calls.ts'
import { endedAs, goOnCalls, runCalls } from './run-calls.ts'
import { tellResults } from './tell-results.ts'
import { compactIfFull, compactSetup } from './compact-setup.ts'
import type { ModelSetup } from '../model-setup.ts'
import { logSteering } from './log-steering.ts'
import { isOverBudget, spend, whyStopped } from './turn-state.ts'
import type { Turn, TurnContext } from './turn-state.ts'

/** Runs a turn to its end: the model answers, its calls run, it gets the results, and so on until it is done. */
export async function runTurn(prompt: string | null, setup: ModelSetup, context: TurnContext): Promise<void> {
  const begun = await beginTurn(prompt, setup, context)
  if (begun === null) return
  const { turn: id, rounds, parked } = begun
  const turn = newTurn({ ...context, setup, id, rounds, parent: null })
  const { stop, ...cut } = await runLoop(turn, parked)
  if (stop !== 'failed')
    context.emit({ event: 'done', stop, ...cut, missing: turn.missing, ...spentIn(turn) })
}

/** A turn that has used nothing yet. */
export function newTurn(known: TurnContext & Pick<Turn, 'setup' | 'id' | 'rounds' | 'parent'>): Turn {
  return {
    ...known,
    startedAt: known.setup.source.elapsed(),
    usage: NOTHING_USED,
    requests: 0,
    newest: null,
    isWokenUp: false,
    isAnotherAnswer: false,
    missing: [],
    isRefusedForSize: false,
  }
}

/** How a loop ended, and whether its last message is incomplete. */
export interface LoopEnd {
  readonly stop: Stop | 'failed'
  readonly cut?: Cut
}

/** Asks the model and runs its calls until it is done; a batch that waited for delegated conversations comes first. */
export async function runLoop(turn: Turn, parked: string | null): Promise<LoopEnd> {
  if (parked !== null) {
    turn.move('streaming', 'calls')
    const stop = await takeResults(await goOnCalls(parked, turn), turn)
    if (stop !== null) return end(stop, turn)
  }
  for (;;) {
    const reply = await askModel(turn)
    if (reply === null) {
      turn.move('streaming', 'end')
      return { stop: 'budget' }
    }
    if (reply.is === 'failed' && turn.setup.withFencedCalls !== null && lacksTools(reply.error)) {
      turn.setup = turn.setup.withFencedCalls()
      turn.replaceSetup(turn.setup)
      continue
    }
    if (reply.is === 'failed' && reply.error.isTooLong && !turn.isRefusedForSize) {
      turn.isRefusedForSize = true
      const { point, usage } = await compactSetup(turn.setup, { ...turn, cause: 'too_long', words: null })
      spend(turn, usage)
      if (point !== null) continue
    }
    // A provider that cannot use an attachment would refuse every later request too.
    if (reply.is === 'failed' && reply.error.isAboutAttached && turn.setup.hasAttached()) {
      const { point } = await compactSetup(turn.setup, { ...turn, cause: 'attached', words: null })
      if (point !== null) continue
    }
    const stop = await handleReply(reply, turn)
    if (stop !== null) return { ...(await end(stop, turn)), ...cutOf(stop, reply) }
  }
}

/** Text that came too late for this turn is the first that the next one sends, after pending results. */
async function end(stop: Stop | 'failed', turn: Turn): Promise<LoopEnd> {
  if (stop !== 'approval_pending' && stop !== 'held') await logSteering(turn)
  return { stop }
}

function spentIn({
  id,
  usage,
  setup,
}: Turn): Pick<Extract<TurnEvent, { event: 'done' }>, 'usage' | 'changes'> {
  return { usage, changes: readTurnChanges(setup.source.log, id) }
}

/** Why the last message of an ended turn is incomplete, if it is. */
function cutOf(stop: Stop | 'failed', { reason }: ReceivedReply): { readonly cut?: Cut } {
  if (stop !== 'end' || reason === null || reason === 'stop' || reason === 'calls') return {}
  return { cut: reason }
}

/** Some servers only report missing tool support when tools are sent. */
function lacksTools({ code, message }: ModelError): boolean {
  return code === 'bad_request' && /\btools?\b|function.call/i.test(message) && /support/i.test(message)
}

/** Asks the model for a message; null if the budget is used up. */
async function askModel(turn: Turn): Promise<ReceivedReply | null> {
  const { setup, emit, signal } = turn
  if (isOverBudget(turn)) return null
  spend(turn, await compactIfFull(setup, { emit, signal }))
  if (isOverBudget(turn)) return null
  turn.requests += 1
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
  spend(turn, reply.usage)
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
  return takeResults(await runCalls(calls, turn), turn)
}

/** Gives the results of a batch to the model, unless some of them wait. Null means that the model continues. */
async function takeResults(results: readonly ToolResult[], turn: Turn): Promise<Stop | null> {
  const { setup, emit, move } = turn
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
  tellResults(setup, turn.id)
  return decideAfter(results, turn)
}
