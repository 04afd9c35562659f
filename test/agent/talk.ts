import type { Conversation, ConversationOptions } from '../../src/agent/conversation.ts'
import { isTurnEvent } from '../../src/agent/events.ts'
import type { ConversationEvent, TurnEvent } from '../../src/agent/events.ts'
import { openConversation } from '../../src/agent/open-conversation.ts'
import type { ModelClient, ModelRequest } from '../../src/model/model-client.ts'
import { createScriptClient } from '../../src/model/script-client.ts'
import type { Runtime, RuntimeOptions } from '../../src/runtime/create-runtime.ts'
import { bench } from '../bench-folder.ts'
import type { Bench } from '../bench-folder.ts'

/** One message of the scripted model. */
export interface Turn {
  readonly text?: string
  readonly calls?: readonly { readonly id: string; readonly name: string; readonly args: object }[]
}

/** A conversation at work in a folder of its own. */
export interface Talk {
  readonly b: Bench
  readonly runtime: Runtime
  readonly conversation: Conversation
  /** What the model was asked with, request by request. */
  readonly requests: ModelRequest[]
  readonly say: (prompt: string | null) => Promise<readonly TurnEvent[]>
  /** With what only screens are told. */
  readonly sayAll: (prompt: string | null) => Promise<readonly ConversationEvent[]>
}

/** What a talk can be told beside its messages. */
export type TalkOptions = Partial<RuntimeOptions> & {
  readonly talk?: Partial<ConversationOptions>
  readonly files?: Readonly<Record<string, string>>
  readonly in?: Bench
  /** What the model says in delegated conversations, by their task. */
  readonly delegates?: Readonly<Record<string, readonly Turn[]>>
}

export const call = (id: string, name: string, args: object) => ({ id, name, args })
export const read = (id: string) => call(id, 'read_file', { path: 'a.txt' })
export const write = (id: string, path = 'n.txt') => call(id, 'write_file', { path, content: 'n\n' })
export const agreed: Partial<RuntimeOptions> = { approve: (requests) => requests.map(() => 'once' as const) }

/** A model that says what it is told to, and keeps what it was asked. */
export function scripted(
  turns: readonly Turn[],
  requests: ModelRequest[] = [],
  id = 'script:test',
  delegates: Readonly<Record<string, readonly Turn[]>> = {},
): ModelClient {
  const script = createScriptClient(id, JSON.stringify({ turns, delegates }))
  return {
    ...script,
    stream: (request, signal) => {
      requests.push(structuredClone(request))
      return script.stream(request, signal)
    },
  }
}

/** Opens a conversation with a scripted model. */
export async function talk(turns: readonly Turn[], options: TalkOptions = {}): Promise<Talk> {
  const requests: ModelRequest[] = []
  return talkWith(scripted(turns, requests, 'script:test', options.delegates), options, requests)
}

/** Opens a conversation with any model. */
export async function talkWith(
  model: ModelClient,
  {
    talk: wishes = {},
    files = { 'a.txt': 'alpha\n' },
    in: given,
    delegates: _scripted,
    ...options
  }: TalkOptions = {},
  requests: ModelRequest[] = [],
): Promise<Talk> {
  const b = given ?? bench(files)
  const runtime = await b.open(options)
  const conversation = await openConversation({ runtime, model, session: 's', ...wishes })
  const sayAll = async (prompt: string | null): Promise<readonly ConversationEvent[]> => {
    const events: ConversationEvent[] = []
    for await (const event of conversation.watch(prompt)) events.push(event)
    return events
  }
  const say = async (prompt: string | null): Promise<readonly TurnEvent[]> =>
    (await sayAll(prompt)).filter(isTurnEvent)
  return { b, runtime, conversation, requests, say, sayAll }
}

export const kinds = (events: readonly ConversationEvent[]) => events.map(({ event }) => event)
export const stopOf = (events: readonly ConversationEvent[]) =>
  events.flatMap((event) => (event.event === 'done' ? [event.stop] : []))
/** `ok`, or the code of the error, result by result. */
export const outcomes = (events: readonly ConversationEvent[]) =>
  events.flatMap((event) => (event.event === 'result' ? [event.ok ? 'ok' : event.error.code] : []))
export const errorsOf = (events: readonly ConversationEvent[]) =>
  events.flatMap((event) => (event.event === 'error' ? [event.code] : []))
