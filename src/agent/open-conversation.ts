import type { ToolCall } from '../core/call.ts'
import { isJsonObject } from '../core/json/value.ts'
import type { ToolResult } from '../core/result.ts'
import type { AnsweredCall, AssistantPart, ModelClient, ModelMessage } from '../model/model-client.ts'
import { ModelError } from '../model/model-client.ts'
import { formatFencedResult } from '../wire/fenced.ts'
import { capacityBytes, estimateTokens } from './capacity.ts'
import type { Conversation, ConversationOptions, Recovery, SendOptions } from './conversation.ts'
import type { ConversationEvent, Stop, Usage } from './events.ts'
import { writeInstructions } from './instructions.ts'
import type { LoopState } from './loop-state.ts'
import { joinOwnRows } from './own-rows.ts'
import { readCalls } from './read-calls.ts'
import type { Protocol } from './read-calls.ts'
import { listen } from './listen.ts'
import type { Spent } from './listen.ts'
import { openTranscript } from './transcript.ts'
import type { Transcript } from './transcript.ts'

const NOTHING_USED: Usage = { input_tokens: 0, output_tokens: 0, cached_tokens: 0, cost: null }

/** Opens the conversation of a session; everything said in it before is still there. */
export async function openConversation(options: ConversationOptions): Promise<Conversation> {
  const { runtime } = options
  let { model } = options
  let state: LoopState = 'idle'
  let atWork: AbortController | null = null
  let total: Usage = NOTHING_USED
  let latest: Usage = NOTHING_USED
  const protocol =
    options.protocol === undefined || options.protocol === 'auto'
      ? model.hasTools
        ? 'native'
        : 'fenced'
      : options.protocol
  // A script may hold calls of both kinds.
  const reading = options.protocol !== 'native' && model.id.startsWith('script:') ? 'fenced' : protocol
  const house = await runtime.converse(options.session)
  const transcript = openTranscript(house)
  const settings = runtime.configuration.settings
  const isAdvertising = settings['tools.mode'] !== 'disabled'
  const definitions = isAdvertising ? runtime.advertised() : []
  const system = writeInstructions(definitions, protocol, options.notes ?? null)
  const tools =
    protocol === 'native'
      ? definitions.map(({ name, description, inputSchema }) => ({ name, description, inputSchema }))
      : []

  async function* send(
    prompt: string | null,
    { signal: outside }: SendOptions = {},
  ): AsyncGenerator<ConversationEvent> {
    if (atWork !== null) {
      yield { event: 'error', code: 'busy', message: 'A turn is at work; wait for its end or cancel it.' }
      return
    }
    atWork = new AbortController()
    const signal = outside === undefined ? atWork.signal : AbortSignal.any([outside, atWork.signal])
    try {
      yield* takeTurn(prompt, signal)
    } finally {
      atWork = null
      state = 'idle'
    }
  }

  async function* takeTurn(prompt: string | null, signal: AbortSignal): AsyncGenerator<ConversationEvent> {
    const interrupted = await runtime.recover({ session: options.session })
    if (interrupted.length > 0) {
      yield {
        event: 'error',
        code: 'interrupted',
        message:
          'An earlier batch of this session was interrupted. Look at it with tongs recover, then choose --resume or --discard.',
      }
      return
    }
    const spent: Spent = {
      usage: NOTHING_USED,
      startedAt: house.elapsed(),
    }
    const done = (stop: Stop): ConversationEvent => ({ event: 'done', stop, usage: spent.usage })
    const open = transcript.openCalls()
    if (open !== null && !open.isComplete) {
      yield done('approval_pending')
      return
    }
    const turn = prompt === null ? (open?.turn ?? house.newId()) : house.newId()
    yield { event: 'turn', turn, model: model.id }
    if (open !== null) answer(transcript, open.turn, open.results, protocol, model)
    if (prompt !== null) transcript.say(turn, { role: 'user', text: prompt }, null)
    else if (open === null) {
      yield {
        event: 'error',
        code: 'nothing_to_continue',
        message: 'There is nothing to go on with; say something first.',
      }
      return
    }
    const most = settings['tools.max_tool_iterations_per_user_turn']
    for (let iteration = 1; ; iteration++) {
      const parts: AssistantPart[] = []
      try {
        yield* listen(model, request(), turn, parts, transcript, spent, signal)
      } catch (thrown) {
        if (signal.aborted) {
          if (parts.length > 0) transcript.say(turn, { role: 'assistant', parts }, model.id)
          yield done('cancelled')
          return
        }
        if (!(thrown instanceof ModelError)) throw thrown
        yield { event: 'error', code: thrown.code, message: thrown.message }
        return
      }
      transcript.say(turn, { role: 'assistant', parts }, model.id)
      const calls = readCalls(parts, reading)
      if (calls.length === 0) {
        yield done('end')
        return
      }
      for (const call of calls) yield callEvent(call)
      const results = await runtime.run(calls, {
        session: options.session,
        origin: 'model',
        turn,
        iteration,
        signal,
        capacityBytes: room(),
      })
      if (results.some(isNotice('approval_required'))) {
        for (const pending of await runtime.pending({ session: options.session }))
          yield { event: 'approval', ...pending }
        yield done('approval_pending')
        return
      }
      for (const result of results) yield { event: 'result', ...result }
      if (results.some(isNotice('held'))) {
        yield done('held')
        return
      }
      answer(transcript, turn, results, protocol, model)
      if (signal.aborted || results.some(isNotice('cancelled'))) {
        yield done('cancelled')
        return
      }
      if (iteration > most + 1) {
        yield done('max_iterations')
        return
      }
      if (isOverBudget(spent, house.elapsed(), options)) {
        yield done('budget')
        return
      }
    }
  }

  function request() {
    return { system, messages: forModel(transcript.messages(), protocol), tools }
  }

  function room(): number {
    const used = estimateTokens(system, transcript.messages())
    return capacityBytes(model.contextTokens, used, settings['tools.output.fallback_capacity_bytes'])
  }

  async function findRecovery(choice?: 'resume' | 'discard'): Promise<Recovery | null> {
    const batches = await runtime.recover({
      session: options.session,
      ...(choice === undefined ? {} : { choice }),
    })
    return batches.length === 0 ? null : { text: null, calls: batches.flatMap(({ calls }) => calls) }
  }

  return {
    session: options.session,
    model: () => model,
    send,
    steer: () => false,
    cancel: () => atWork?.abort(),
    held: () => [],
    answerTool: (id) => ({ ok: false, message: `No call ${id} waits for a result.` }),
    context: () => ({
      model: model.id,
      context_tokens: model.contextTokens,
      used_tokens: estimateTokens(system, transcript.messages()),
      capacity_bytes: room(),
      messages: transcript.messages().length,
      stubbed_results: 0,
      summarized_messages: 0,
      total,
      turn: latest,
    }),
    setModel: (next) => {
      model = next
    },
    state: () => state,
    recovery: () => findRecovery(),
    resume: () => findRecovery('resume'),
    discard: () => findRecovery('discard'),
  }
}

/** Gives the model its results: all of them, in call order, right after the message that asked. */
function answer(
  transcript: Transcript,
  turn: string,
  results: readonly ToolResult[],
  protocol: Protocol,
  model: ModelClient,
): void {
  const answered = joinOwnRows(results).map((result): AnsweredCall => ({
    id: result.id,
    name: result.name,
    content: protocol === 'fenced' ? formatFencedResult(result) : result.content,
    isError: !result.ok,
  }))
  transcript.say(turn, { role: 'tool', results: answered }, model.id)
}

/** A model without tools hears results as something the user says. */
function forModel(messages: readonly ModelMessage[], protocol: Protocol): readonly ModelMessage[] {
  if (protocol === 'native') return messages
  return messages.map((message) =>
    message.role === 'tool'
      ? { role: 'user', text: message.results.map(({ content }) => content).join('\n\n') }
      : message,
  )
}

function callEvent({ id, name, args }: ToolCall): ConversationEvent {
  return { event: 'call', id, name, args: isJsonObject(args) ? args : {} }
}

function isNotice(code: string): (result: ToolResult) => boolean {
  return (result) => !result.ok && result.error.code === code
}

function isOverBudget(
  { usage, startedAt }: Spent,
  now: number,
  { maxTokens, maxSeconds }: ConversationOptions,
): boolean {
  const isSpent = maxTokens !== undefined && usage.input_tokens + usage.output_tokens >= maxTokens
  return isSpent || (maxSeconds !== undefined && now - startedAt >= maxSeconds * 1000)
}
