import { isJsonObject, parseJson } from '../core/json/value.ts'
import { ModelError } from './model-client.ts'
import type { ModelClient, ModelDelta, ModelRequest } from './model-client.ts'
import { ScriptParts } from './script-parts.ts'
import type { ScriptedCall, ScriptedMessage } from './script-place.ts'

const CHARS_PER_TOKEN = 4

/** A model that plays a script. The conversation so far decides which entry comes next. */
export function createScriptClient(id: string, script: string): ModelClient {
  const { messages, delegates } = readScript(id, script)
  const parts = new ScriptParts(messages, delegates)
  return {
    id,
    hasTools: true,
    mixesCalls: true,
    contextTokens: null,
    isUnbounded: true,
    stream(request, signal) {
      if (request.isForSummary === true)
        return play({ text: `${request.messages.length} messages.`, calls: [] }, request, signal)
      return play(parts.of(request).next(request), request, signal)
    },
  }
}

async function* play(
  { text, calls }: ScriptedMessage,
  request: ModelRequest,
  signal: AbortSignal,
): AsyncGenerator<ModelDelta> {
  signal.throwIfAborted()
  if (text !== '') yield { type: 'text', text }
  for (const { id, name, argsText } of calls) {
    signal.throwIfAborted()
    yield { type: 'call_start', id, name }
    yield { type: 'call_delta', id, text: argsText }
    yield { type: 'call_end', id, argsText }
  }
  signal.throwIfAborted()
  // Estimated from the length, so that budgets can be tried without a provider.
  const [input, output] = [JSON.stringify(request), JSON.stringify({ text, calls })].map((one) =>
    Math.ceil(one.length / CHARS_PER_TOKEN),
  )
  yield { type: 'usage', input: input ?? 0, output: output ?? 0, cached: 0 }
  yield { type: 'end', reason: calls.length === 0 ? 'stop' : 'calls' }
}

/** What a script says: the messages of the conversation, and those of delegated ones by their task. */
interface Script {
  readonly messages: readonly ScriptedMessage[]
  readonly delegates: ReadonlyMap<string, readonly ScriptedMessage[]>
}

function readScript(id: string, script: string): Script {
  const refuse = (what: string): never => {
    throw new ModelError(
      'bad_request',
      `${id}: ${what}. A script is {"turns": [{"text": "…", "calls": [{"id": "…", "name": "…", "args": {…}}]}, …]}.`,
    )
  }
  const readCall = (call: unknown, place: string): ScriptedCall => {
    if (!isJsonObject(call)) return refuse(`${place} is not an object`)
    const { id: callId, name, args } = call
    if (typeof callId !== 'string') return refuse(`${place} has no string id`)
    if (typeof name !== 'string') return refuse(`${place} has no string name`)
    return { id: callId, name, argsText: JSON.stringify(args ?? {}) }
  }
  const readMessage = (turn: unknown, place: string): ScriptedMessage => {
    if (!isJsonObject(turn)) return refuse(`${place} is not an object`)
    const { text, calls } = turn
    if (text === undefined && calls === undefined) return refuse(`${place} has neither text nor calls`)
    if (text !== undefined && typeof text !== 'string') return refuse(`the text of ${place} is not a string`)
    if (calls !== undefined && !Array.isArray(calls)) return refuse(`the calls of ${place} are not a list`)
    const list: readonly unknown[] = calls ?? []
    return { text: text ?? '', calls: list.map((call, at) => readCall(call, `call ${at + 1} of ${place}`)) }
  }
  const whole = parseJson(script)
  if (!isJsonObject(whole)) return refuse('the file is not a JSON object')
  const { turns, delegates = {} } = whole
  const readTurns = (given: unknown, name: string): readonly ScriptedMessage[] => {
    if (!Array.isArray(given)) return refuse(`${name} is not a list`)
    const list: readonly unknown[] = given
    return list.map((turn, at) => readMessage(turn, `turn ${at + 1}`))
  }
  if (!isJsonObject(delegates)) return refuse('delegates is not an object of tasks')
  return {
    messages: readTurns(turns, 'turns'),
    delegates: new Map(
      Object.entries(delegates).map(([task, its]) => [
        task,
        readTurns(its, `delegates ${JSON.stringify(task)}`),
      ]),
    ),
  }
}
