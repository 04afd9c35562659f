import { LONGEST_TIMER_MS } from '../core/clock.ts'
import type { ModelClient } from '../model/model-client.ts'
import { checkLimits, NOTHING_USED, TIME_IS_UP } from './loop/budget.ts'
import type { Limits } from './loop/budget.ts'
import type {
  Conversation,
  ConversationOptions,
  Recovery,
  SendOptions,
  InterruptedCall,
} from './conversation.ts'
import { openConversationLog } from './log/conversation-log.ts'
import { streamEvents } from './loop/event-stream.ts'
import type { Emit } from './loop/event-stream.ts'
import { isTurnEvent } from './events.ts'
import type { ConversationEvent, TurnEvent, Usage } from './events.ts'
import { answerHeld, listHeld } from './loop/held-calls.ts'
import { moveLoop } from './loop/loop-state.ts'
import type { LoopState } from './loop/loop-state.ts'
import { openSteering } from './loop/steering.ts'
import { openModelSetup } from './model-setup.ts'
import type { ModelSetup } from './model-setup.ts'
import { isWhole } from './log/spoken-batch.ts'
import { runTurn } from './loop/turn.ts'
import { openModel } from '../model/open-model.ts'
import type { InterruptedBatch } from '../pipeline/after/recover.ts'
import { textOf } from './context/message-parts.ts'
import type { Draft } from './log/transcript.ts'
import type { Runtime } from '../runtime/runtime.ts'

/** Opens the conversation of a session; everything said in it before is still there. */
export async function openConversation(options: ConversationOptions): Promise<Conversation> {
  checkOptions(options)
  const { runtime, session } = options
  const source = await runtime.converse(session)
  const log = openConversationLog(source)
  const notes = options.notes === undefined ? source.notes() : options.notes
  const prepare = (model: ModelClient): ModelSetup =>
    openModelSetup({
      runtime,
      source,
      session,
      log,
      model,
      protocol: options.protocol ?? 'auto',
      notes,
      retries: options.retries ?? {},
      isDryRun: options.dryRun ?? false,
    })
  const limits: Limits = options
  const prices = runtime.configuration.settings['model.prices']
  const given = await modelOf(options)
  checkLimits(limits, given.id, prices)
  let setup = prepare(given)
  const steering = openSteering()
  let running: AbortController | null = null
  // A question that nobody answered in time is answered with no, and is no interruption.
  await runtime.expire(session)
  let state: LoopState = (await runtime.recover({ session })).length > 0 ? 'interrupted' : rest()
  let latest: Usage = NOTHING_USED

  /** Where a conversation is when no turn is at work and nothing is in doubt. */
  function rest(): LoopState {
    const { batch, isAnswered } = log.read()
    return batch !== null && !isAnswered && !isWhole(batch) ? 'waiting' : 'idle'
  }

  async function* send(text?: string | null, sending?: SendOptions): AsyncGenerator<TurnEvent> {
    for await (const event of watch(text, sending)) if (isTurnEvent(event)) yield event
  }

  async function* watch(
    text?: string | null,
    { signal }: SendOptions = {},
  ): AsyncGenerator<ConversationEvent> {
    const words = text ?? null
    const begun = claimTurn(runtime, session, words)
    if (!begun.ok) {
      yield begun.event
      return
    }
    const stop = new AbortController()
    running = stop
    const onAbort = (): void => stop.abort(signal?.reason)
    signal?.addEventListener('abort', onAbort, { once: true })
    if (signal?.aborted === true) onAbort()
    try {
      yield* streamEvents((emit) => takeOne(words, stop, noteUsage(emit)).finally(begun.end), stop)
    } finally {
      signal?.removeEventListener('abort', onAbort)
      running = null
    }
  }

  async function takeOne(text: string | null, stop: AbortController, emit: Emit): Promise<void> {
    const timer = timerFor(limits, stop)
    try {
      await runTurn(text, setup, {
        emit,
        signal: stop.signal,
        limits,
        steering,
        replaceSetup: (other) => {
          setup = other
        },
        state: () => state,
        move: (from, by) => {
          state = moveLoop(from, by)
          emit({ event: 'state', state })
        },
      })
    } finally {
      clearTimeout(timer)
      if (state !== 'interrupted') state = rest()
    }
  }

  const noteUsage =
    (emit: Emit): Emit =>
    (event) => {
      if (event.event === 'done') latest = event.usage
      emit(event)
    }

  async function recover(choice?: 'resume' | 'discard'): Promise<Recovery | null> {
    const { draft } = log.read()
    const batches = await runtime.recover({ session, ...(choice === undefined ? {} : { choice }) })
    if (batches.length === 0) return null
    if (choice !== undefined && state === 'interrupted') state = moveLoop('interrupted', 'recover')
    return describeRecovery(draft, batches)
  }

  return {
    session,
    model: () => setup.model,
    send,
    watch,
    steer: (text) => {
      if (running === null) return false
      steering.say(text)
      return true
    },
    unheard: steering.waiting,
    cancel: () => running?.abort(),
    held: () => listHeld(source),
    answerTool: (id, answer) => answerHeld(source, id, answer),
    context: () => {
      const { stubbedResults, summarizedMessages, messages } = setup.builtMessages()
      return {
        model: setup.model.id,
        context_tokens: setup.contextTokens,
        used_tokens: setup.usedTokens(),
        capacity_bytes: setup.capacityBytes(),
        messages: messages.length,
        stubbed_results: stubbedResults,
        summarized_messages: summarizedMessages,
        total: log.used(),
        turn: latest,
      }
    },
    setModel: (model) => {
      checkModel(model)
      checkLimits(limits, model.id, prices)
      setup = prepare(model)
    },
    damage: () => log.damage(),
    state: () => state,
    recovery: () => recover(),
    resume: () => recover('resume'),
    discard: () => recover('discard'),
  }
}

/** A limit longer than any timer is looked at between messages only. */
function timerFor({ maxSeconds }: Limits, stop: AbortController): NodeJS.Timeout | undefined {
  if (maxSeconds === undefined || maxSeconds * 1000 > LONGEST_TIMER_MS) return undefined
  return setTimeout(() => stop.abort(TIME_IS_UP), maxSeconds * 1000)
}

/** A program without types is told what it forgot before anything is on record. */
function checkOptions(options: Partial<ConversationOptions> | undefined): void {
  const { runtime, model, session } = options ?? {}
  const isModel = typeof model === 'string' || typeof model?.stream === 'function'
  if (typeof runtime?.converse === 'function' && isModel && typeof session === 'string') return
  throw new TypeError(
    'openConversation needs { runtime, model, session }: a runtime of createRuntime, a model such as script:FILE, and a name.',
  )
}

/** Another model has to be open before it is spoken with; a name alone would only fail in the middle of a turn. */
function checkModel(model: Partial<ModelClient> | undefined): void {
  if (typeof model?.stream === 'function') return
  throw new TypeError('setModel needs a model that is open, as openModel gives it.')
}

/** The model that was given, opened where it was given as a word. */
async function modelOf({ model, baseUrl }: ConversationOptions): Promise<ModelClient> {
  if (typeof model !== 'string') return model
  return openModel(model, baseUrl === undefined ? {} : { baseUrl })
}

/** What an interrupted process left, as people are asked about it. */
function describeRecovery(draft: Draft | null, batches: readonly InterruptedBatch[]): Recovery {
  return {
    text: draft === null ? null : textOf(draft.parts),
    calls: batches.flatMap(({ kind, calls }) =>
      calls.map((call): InterruptedCall => (kind === 'received' ? { ...call, status: 'received' } : call)),
    ),
  }
}

/** The sessions of each runtime in which a turn is at work. */
const RUNNING_TURNS = new WeakMap<Runtime, Set<string>>()

/**
 * Lets one turn at a time into a session, whichever conversation it comes through: two at once would take each other's
 * results for their own. Gives why it cannot begin, or what ends its claim.
 */
function claimTurn(
  runtime: Runtime,
  session: string,
  text: string | null,
):
  | { readonly ok: true; readonly end: () => void }
  | { readonly ok: false; readonly event: ConversationEvent } {
  if (text !== null && (typeof text !== 'string' || text.trim() === ''))
    return refuse('empty_prompt', 'There are no words; say something, or null to go on.')
  const sessions = RUNNING_TURNS.get(runtime) ?? new Set()
  RUNNING_TURNS.set(runtime, sessions)
  if (sessions.has(session)) return refuse('busy', 'A turn is at work; wait for its end or cancel it.')
  sessions.add(session)
  return { ok: true, end: () => void sessions.delete(session) }
}

function refuse(code: string, message: string) {
  return { ok: false, event: { event: 'error', code, message } } as const
}
