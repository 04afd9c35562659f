import { LONGEST_TIMER_MS } from '../../core/clock.ts'
import type { InterruptedBatch } from '../../pipeline/after/inspect.ts'
import type { RecoveryChoice } from '../../pipeline/after/recover.ts'
import type { Runtime } from '../../runtime/runtime.ts'
import { textOf } from '../context/message-parts.ts'
import { compactNow } from './compact-setup.ts'
import type {
  CompactReport,
  InterruptedCall,
  InterruptedEdits,
  Recovery,
  SendOptions,
} from '../conversation.ts'
import type { ConversationEvent, Usage } from '../events.ts'
import type { ConversationLog } from '../log/conversation-log.ts'
import { isWhole } from '../log/spoken-batch.ts'
import type { Draft } from '../log/transcript.ts'
import type { ModelSetup } from '../model-setup.ts'
import { sumUpEdits } from '../sessions/interrupted-edits.ts'
import { NOTHING_USED, TIME_IS_UP } from './budget.ts'
import type { Limits } from './budget.ts'
import { streamEvents } from './event-stream.ts'
import type { Emit } from './event-stream.ts'
import { moveLoop } from './loop-state.ts'
import type { LoopState } from './loop-state.ts'
import { openSteering } from './steering.ts'
import { runTurn } from './turn.ts'
import type { TurnContext } from './turn-state.ts'

/** What the turns of one conversation share. */
export interface TurnRunnerOptions {
  readonly runtime: Runtime
  readonly session: string
  readonly log: ConversationLog
  readonly limits: Limits
  readonly setup: ModelSetup
  /** The setup for a turn that begins now: the same one unless there are other tools. */
  readonly renew: (setup: ModelSetup) => Promise<ModelSetup>
  readonly delegatingFor: TurnContext['delegatingFor']
  /** Whether an earlier process left a turn unfinished. */
  readonly isInterrupted: boolean
}

/** Runs the turns of a conversation one at a time, and knows its state between them. */
export class TurnRunner {
  /** The setup of the next turn; the running turn may replace it. */
  setup: ModelSetup
  readonly steering = openSteering()
  readonly #options: TurnRunnerOptions
  #running: AbortController | null = null
  #state: LoopState
  #latestUsage: Usage = NOTHING_USED

  constructor(options: TurnRunnerOptions) {
    this.#options = options
    this.setup = options.setup
    this.#state = options.isInterrupted ? 'interrupted' : this.#stateAtRest()
  }

  get state(): LoopState {
    return this.#state
  }

  /** What the last turn used. */
  get latestUsage(): Usage {
    return this.#latestUsage
  }

  /** Runs one turn and yields its events. */
  async *watch(
    text: string | null = null,
    { signal, attached = [] }: SendOptions = {},
  ): AsyncGenerator<ConversationEvent> {
    const { runtime, session } = this.#options
    const claim = claimTurn(runtime, session, text)
    if (!claim.ok) {
      const { code, message } = claim
      yield { event: 'error', code, message }
      return
    }
    const stop = new AbortController()
    this.#running = stop
    const onAbort = (): void => stop.abort(signal?.reason)
    signal?.addEventListener('abort', onAbort, { once: true })
    if (signal?.aborted === true) onAbort()
    try {
      yield* streamEvents((emit) => this.#run({ text, attached }, stop, emit).finally(claim.end), stop)
    } finally {
      signal?.removeEventListener('abort', onAbort)
      this.#running = null
    }
  }

  /** Sends text to the running turn; false if none is running. */
  steer(text: string): boolean {
    if (this.#running === null) return false
    this.steering.say(text)
    return true
  }

  cancel(): void {
    this.#running?.abort()
  }

  /** Compacts the conversation between two turns. */
  async compact(words: string | null, { signal }: SendOptions = {}): Promise<CompactReport> {
    const { runtime, session } = this.#options
    const claim = claimTurn(runtime, session, words === null || words.trim() === '' ? null : words)
    if (!claim.ok) return { ok: false, message: claim.message }
    const stop = new AbortController()
    this.#running = stop
    try {
      const signals = AbortSignal.any([stop.signal, ...(signal === undefined ? [] : [signal])])
      return await compactNow(this.setup, words, { emit: () => undefined, signal: signals })
    } finally {
      this.#running = null
      claim.end()
    }
  }

  /** What an interrupted process left; a choice resolves it. */
  async recover(choice?: RecoveryChoice): Promise<Recovery | null> {
    const { runtime, session, log } = this.#options
    const { draft } = log.read()
    const batches = await runtime.recover({ session, ...(choice === undefined ? {} : { choice }) })
    if (batches.length === 0) return null
    if (choice !== undefined && this.#state === 'interrupted')
      this.#state = moveLoop('interrupted', 'recover')
    return describeRecovery(draft, batches, (calls) => sumUpEdits(runtime, session, calls))
  }

  async #run(
    { text, attached }: { readonly text: string | null; readonly attached: readonly Uint8Array[] },
    stop: AbortController,
    emit: Emit,
  ): Promise<void> {
    const { limits } = this.#options
    const timer = startTimer(limits, stop)
    try {
      this.setup = await this.#options.renew(this.setup)
      await runTurn(text, this.setup, {
        emit: (event) => {
          if (event.event === 'done') this.#latestUsage = event.usage
          emit(event)
        },
        signal: stop.signal,
        limits,
        steering: this.steering,
        given: attached,
        replaceSetup: (setup) => {
          this.setup = setup
        },
        state: () => this.#state,
        delegatingFor: this.#options.delegatingFor,
        move: (from, by) => {
          this.#state = moveLoop(from, by)
          emit({ event: 'state', state: this.#state })
        },
      })
    } finally {
      clearTimeout(timer)
      if (this.#state !== 'interrupted') this.#state = this.#stateAtRest()
    }
  }

  /** The state if no turn is running and nothing is in doubt. */
  #stateAtRest(): LoopState {
    const { batch, isAnswered } = this.#options.log.read()
    return batch !== null && !isAnswered && !isWhole(batch) ? 'waiting' : 'idle'
  }
}

/** The sessions of each runtime that have a running turn. */
const RUNNING_TURNS = new WeakMap<Runtime, Set<string>>()

/**
 * Allows one turn at a time in a session, whichever conversation it comes through: two at once would mix up their
 * results. Returns why the turn cannot start, or a function that ends the claim.
 */
function claimTurn(
  runtime: Runtime,
  session: string,
  text: string | null,
):
  | { readonly ok: true; readonly end: () => void }
  | { readonly ok: false; readonly code: string; readonly message: string } {
  if (text !== null && (typeof text !== 'string' || text.trim() === ''))
    return refuse('empty_prompt', 'The prompt is empty. Give some text, or null to continue.')
  const sessions = RUNNING_TURNS.get(runtime) ?? new Set()
  RUNNING_TURNS.set(runtime, sessions)
  if (sessions.has(session))
    return refuse('busy', 'A turn is already running. Wait for it to end, or cancel it.')
  sessions.add(session)
  return { ok: true, end: () => void sessions.delete(session) }
}

function refuse(code: string, message: string) {
  return { ok: false, code, message } as const
}

/** A limit longer than any timer is only checked between messages. */
function startTimer({ maxSeconds }: Limits, stop: AbortController): NodeJS.Timeout | undefined {
  if (maxSeconds === undefined || maxSeconds * 1000 > LONGEST_TIMER_MS) return undefined
  return setTimeout(() => stop.abort(TIME_IS_UP), maxSeconds * 1000)
}

/** What an interrupted process left, in the form shown to people. */
function describeRecovery(
  draft: Draft | null,
  batches: readonly InterruptedBatch[],
  sumUp: (calls: readonly InterruptedCall[]) => InterruptedEdits | null,
): Recovery {
  const calls = batches.flatMap(({ kind, calls: all }) =>
    all.map((call): InterruptedCall =>
      kind === 'received' && call.status === 'never_started' ? { ...call, status: 'received' } : call,
    ),
  )
  return { text: draft === null ? null : textOf(draft.parts), calls, edits: sumUp(calls) }
}
