import type { ToolCall } from '../core/call.ts'
import { isJsonObject } from '../core/json/value.ts'
import type { ToolResult } from '../core/result.ts'
import { decideNext } from '../pipeline/go-on.ts'
import type { LiveEvent } from '../pipeline/house.ts'
import type { ModelError } from '../model/model-client.ts'
import { addUsage, isSpent, NOTHING_USED, TIME_IS_UP } from './budget.ts'
import type { Emit } from './event-stream.ts'
import type { Stop, Usage } from './events.ts'
import { listen } from './listen.ts'
import type { Heard } from './listen.ts'
import { beginTurn } from './begin-turn.ts'
import { readCalls } from './read-calls.ts'
import { shrink } from './shrink.ts'
import type { Talk } from './talk.ts'
import type { TurnMeans } from './turn-means.ts'

interface Turn extends TurnMeans {
  talk: Talk
  readonly id: string
  readonly startedAt: number
  usage: Usage
  rounds: number
  /** Whether the model goes on only because a call asked to be woken up, so that a new pass begins. */
  isWokenUp: boolean
}

/** Said to calls that come too late. */
const OUT_OF_BUDGET = 'the budget of the turn is used up'

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
    rounds: begun.rounds,
    isWokenUp: false,
  }
  for (let stop: Stop | 'failed' | null = null; stop === null;) {
    const heard = await hearModel(turn)
    if (heard.is === 'failed' && turn.talk.inText !== null && lacksTools(heard.error)) {
      turn.talk = turn.talk.inText()
      means.adopt(turn.talk)
      continue
    }
    stop = await actOn(heard, turn)
    if (stop !== null && stop !== 'failed') means.emit({ event: 'done', stop, usage: turn.usage })
  }
}

/** Some servers say that a model has no tools only when they are offered. */
function lacksTools({ code, message }: ModelError): boolean {
  return code === 'bad_request' && /\btools?\b|function.call/i.test(message) && /support/i.test(message)
}

async function hearModel(turn: Turn): Promise<Heard> {
  const { talk, emit, signal } = turn
  const { model, log, usedTokens, room, settings } = talk
  const prices = settings['model.prices']
  const spent = await shrink({ model, log, emit, signal, usedTokens, room, prices })
  turn.usage = addUsage(turn.usage, spent)
  const heard = await listen(talk.request(), {
    model,
    turn: turn.id,
    reading: talk.reading,
    log,
    emit,
    signal,
    retries: talk.retries,
    prices,
    draftMs: settings['conversation.draft_seconds'] * 1000,
    elapsed: talk.source.elapsed,
  })
  turn.usage = addUsage(turn.usage, heard.usage)
  return heard
}

/** Does what a message asks for. Null means that the model is to go on. */
async function actOn(heard: Heard, turn: Turn): Promise<Stop | 'failed' | null> {
  const { talk, emit, move } = turn
  if (heard.is === 'failed') {
    move('streaming', 'fail')
    emit({ event: 'error', code: heard.error.code, message: heard.error.message })
    return 'failed'
  }
  if (heard.parts.length > 0 || heard.is === 'whole')
    talk.log.sayAssistant(turn.id, heard.parts, talk.model.id)
  const calls = readCalls(heard.parts, talk.reading, talk.settings['tools.fenced.max_calls'])
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
  if (results.some(isNotice('approval_required'))) {
    for (const pending of await talk.runtime.pending({ session: talk.session }))
      emit({ event: 'approval', ...pending })
    move('tool_loop', 'pending')
    return 'approval_pending'
  }
  for (const result of results) if (isNotice('held')(result)) emit({ event: 'result', ...result })
  if (results.some(isNotice('held'))) {
    move('tool_loop', 'pending')
    return 'held'
  }
  talk.log.sayResults(turn.id, talk.model.id)
  return decideAfter(results, turn)
}

/** Where a turn goes after the results of a batch. */
async function decideAfter(results: readonly ToolResult[], turn: Turn): Promise<Stop | null> {
  const { talk, signal, move } = turn
  if (signal.aborted || results.some(isNotice('cancelled'))) {
    move('tool_loop', 'cancel')
    return whyStopped(turn)
  }
  // After the first refusal for the limit the model may say one thing more.
  if (turn.rounds > talk.settings['tools.max_tool_iterations_per_user_turn'] + 1) {
    move('tool_loop', 'limit')
    return 'max_iterations'
  }
  if (isOver(turn)) {
    move('tool_loop', 'limit')
    return 'budget'
  }
  const isSteered = sayWords(turn)
  const next = isSteered ? 'go_on' : decideNext(results, talk.settings)
  turn.isWokenUp = !isSteered && isHeartbeat(results, talk)
  if (next !== 'go_on') return endOrGoOn(turn, 'tool_loop')
  move('tool_loop', 'results')
  return null
}

/** Where heartbeats decide, one is a wake-up; a rule that goes on by itself is none. */
function isHeartbeat(results: readonly ToolResult[], { settings }: Talk): boolean {
  return (
    settings['tools.continuation'] === 'heartbeat' &&
    !results.some(({ continuation }) => continuation?.has_continue_rule === true)
  )
}

/** Ends a turn that has come to rest, unless the person has said more or a rule wants something first. */
async function endOrGoOn(turn: Turn, from: 'streaming' | 'tool_loop'): Promise<Stop | null> {
  const { talk, emit, move, signal } = turn
  const goOn = (): null => {
    if (from === 'streaming') move('streaming', 'steer')
    else move('tool_loop', 'results')
    return null
  }
  if (sayWords(turn)) return isOver(turn) ? stopFor(turn, from, 'budget') : goOn()
  const end = await talk.runtime.finishTurn({
    session: talk.session,
    turn: turn.id,
    origin: 'model',
    signal,
    onEvent: (event) => pass(event, emit, isAnyCall),
  })
  if (end.results.length > 0) {
    const rows = end.results.map(({ name, content }) => `${name} was run before the end: ${content}`)
    talk.log.sayUser(turn.id, rows.join('\n\n'))
  }
  if (end.mayEnd || end.escalation >= LAST_ESCALATION) return stopFor(turn, from, 'end')
  talk.log.sayUser(turn.id, end.error?.message ?? '')
  turn.rounds += 1
  if (turn.rounds > talk.settings['tools.max_tool_iterations_per_user_turn'] + 1)
    return stopFor(turn, from, 'max_iterations')
  return isOver(turn) ? stopFor(turn, from, 'budget') : goOn()
}

const LAST_ESCALATION = 3

function stopFor({ move }: Turn, from: 'streaming' | 'tool_loop', stop: Stop): Stop {
  if (from === 'streaming') move('streaming', 'end')
  else move('tool_loop', 'exit')
  return stop
}

/** Runs the calls of a message. What the person says meanwhile, or an empty budget, keeps those from beginning that have not. */
async function runCalls(calls: readonly ToolCall[], turn: Turn): Promise<readonly ToolResult[]> {
  const { talk, emit, signal, steering } = turn
  const skip = steering.beginBatch()
  if (isOver(turn)) skip.abort(OUT_OF_BUDGET)
  const ours = new Set(calls.map(({ id }) => id))
  try {
    return await talk.runtime.run(calls, {
      session: talk.session,
      origin: 'model',
      turn: turn.id,
      iteration: turn.rounds,
      dryRun: talk.isDryRun,
      isWakeUp: turn.isWokenUp,
      signal,
      skip: skip.signal,
      // Nothing at all would be no limit.
      capacityBytes: Math.max(1, talk.capacityBytes()),
      onEvent: (event) => pass(event, emit, (id) => !ours.has(id)),
    })
  } finally {
    steering.endBatch()
  }
}

const isAnyCall = (): boolean => true

/** Passes on what happens to calls; those that the model did not ask for are introduced first. */
function pass(event: LiveEvent, emit: Emit, isIntroduced: (id: string) => boolean): void {
  if (event.event === 'result') emit({ event: 'result', ...event.result })
  else if (event.event === 'output') {
    const { id, stream, chunk } = event
    emit({ event: 'output', id, stream, chunk })
  } else if (event.event === 'state') emit({ ...event, event: 'progress' })
  else if (isIntroduced(event.id)) {
    const { id, name, args } = event
    emit({ event: 'call', id, name, args })
  }
}

/** Gives the model what the person has said meanwhile. */
function sayWords({ talk, id, steering, emit }: Turn): boolean {
  const words = steering.take()
  for (const text of words) {
    talk.log.sayUser(id, text)
    emit({ event: 'steered', text })
  }
  return words.length > 0
}

function isOver({ usage, startedAt, talk, limits }: Turn): boolean {
  return isSpent(usage, talk.source.elapsed() - startedAt, limits)
}

/** A turn that ran out of time was stopped like one that was cancelled, and says why. */
function whyStopped(turn: Turn): Stop {
  return turn.signal.reason === TIME_IS_UP || isOver(turn) ? 'budget' : 'cancelled'
}

function isNotice(code: string): (result: ToolResult) => boolean {
  return (result) => !result.ok && result.error.code === code
}
