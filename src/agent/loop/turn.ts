import { isJsonObject } from '../../core/json/value.ts'
import type { ModelError } from '../../model/model-client.ts'
import { beginTurn } from './begin-turn.ts'
import { addUsage, NOTHING_USED } from './budget.ts'
import { decideAfter, endOrGoOn } from './end-turn.ts'
import type { Cut, Stop } from '../events.ts'
import { listen } from './receive-message.ts'
import type { HeardMessage } from './receive-message.ts'
import { readCalls } from './read-calls.ts'
import { endedAs, runCalls } from './run-calls.ts'
import { shrink } from '../context/shrink.ts'
import type { Talk } from '../model-setup.ts'
import { isOver, sayWords, whyStopped } from './turn-state.ts'
import type { Turn, TurnMeans } from './turn-state.ts'

/** Takes a turn to its end: the model speaks, its calls run, it hears the results, and so on until it is done. */
export async function takeTurn(prompt: string | null, talk: Talk, means: TurnMeans): Promise<void> {
  const begun = await beginTurn(prompt, talk, means)
  if (begun === null) return
  const turn: Turn = {
    ...means,
    talk,
    id: begun.turn,
    startedAt: talk.source.elapsed(),
    usage: NOTHING_USED,
    newest: null,
    rounds: begun.rounds,
    isWokenUp: false,
  }
  for (let stop: Stop | 'failed' | null = null; stop === null;) {
    const heard = await hearModel(turn)
    if (heard === null) {
      means.move('streaming', 'end')
      means.emit({ event: 'done', stop: 'budget', usage: turn.usage })
      return
    }
    if (heard.is === 'failed' && turn.talk.inText !== null && lacksTools(heard.error)) {
      turn.talk = turn.talk.inText()
      means.adopt(turn.talk)
      continue
    }
    stop = await actOn(heard, turn)
    // Words that came too late for this turn are the first that the next one hears; results come before them.
    if (stop !== null && stop !== 'approval_pending' && stop !== 'held') sayWords(turn)
    if (stop !== null && stop !== 'failed')
      means.emit({ event: 'done', stop, ...tellCut(stop, heard), usage: turn.usage })
  }
}

/** A turn also ends where the model was stopped in the middle, or would not answer; that is no silence of its own. */
function tellCut(stop: Stop, { reason }: HeardMessage): { readonly cut?: Cut } {
  if (stop !== 'end' || reason === null || reason === 'stop' || reason === 'calls') return {}
  return { cut: reason }
}

/** Some servers say that a model has no tools only when they are offered. */
function lacksTools({ code, message }: ModelError): boolean {
  return code === 'bad_request' && /\btools?\b|function.call/i.test(message) && /support/i.test(message)
}

/** Asks the model for a message; null where there is nothing left to ask it with. */
async function hearModel(turn: Turn): Promise<HeardMessage | null> {
  const { talk, emit, signal } = turn
  if (isOver(turn)) return null
  const { model, log, usedTokens, room, settings, retries } = talk
  const prices = settings['model.prices']
  const spent = await shrink({ model, log, emit, signal, usedTokens, room, prices, retries })
  turn.usage = addUsage(turn.usage, spent)
  if (isOver(turn)) return null
  const heard = await listen(talk.request(), {
    model,
    turn: turn.id,
    reading: talk.reading,
    log,
    emit,
    signal,
    retries,
    prices,
    draftMs: settings['conversation.draft_seconds'] * 1000,
    elapsed: talk.source.elapsed,
  })
  turn.usage = addUsage(turn.usage, heard.usage)
  turn.newest = heard.usage
  return heard
}

/** Does what a message asks for. Null means that the model is to go on. */
async function actOn(heard: HeardMessage, turn: Turn): Promise<Stop | 'failed' | null> {
  const { talk, emit, move } = turn
  if (heard.is === 'failed') {
    move('streaming', 'fail')
    emit({ event: 'error', code: heard.error.code, message: heard.error.message })
    return 'failed'
  }
  if (heard.parts.length > 0 || heard.is === 'whole')
    talk.log.sayAssistant(turn.id, heard.parts, talk.model.id)
  const calls = readCalls(heard.parts, talk.reading)
  if (calls.length === 0) {
    if (heard.is === 'whole') return endOrGoOn(turn, 'streaming')
    move('streaming', 'cancel')
    return whyStopped(turn)
  }
  move('streaming', 'calls')
  turn.rounds += 1
  for (const { id, name, args } of calls)
    emit({ event: 'call', id, name, args: isJsonObject(args) ? args : {} })
  const results = await runCalls(calls, turn)
  if (results.some(endedAs('approval_required'))) {
    for (const pending of await talk.runtime.pending({ session: talk.session }))
      emit({ event: 'approval', ...pending })
    move('tool_loop', 'pending')
    return 'approval_pending'
  }
  const held = results.filter(endedAs('held'))
  if (held.length > 0) {
    for (const result of held) emit({ event: 'result', ...result })
    move('tool_loop', 'pending')
    return 'held'
  }
  talk.log.sayResults(turn.id, talk.model.id)
  return decideAfter(results, turn)
}
