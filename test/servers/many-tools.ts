import { openConversation } from '../../src/agent/open-conversation.ts'
import type { Conversation } from '../../src/agent/conversation.ts'
import type { ModelRequest } from '../../src/model/model-client.ts'
import type { Runtime, RuntimeOptions } from '../../src/runtime/create-runtime.ts'
import { readDefinitions } from '../../src/servers/definition.ts'
import { trustPins } from '../../src/runtime/servers/trusted-pins.ts'
import { scripted } from '../agent/talk.ts'
import type { Turn } from '../agent/talk.ts'
import { bench } from '../bench-folder.ts'
import type { Bench } from '../bench-folder.ts'

const VERBS = [
  'search',
  'create',
  'delete',
  'update',
  'archive',
  'export',
  'import',
  'share',
  'tag',
  'count',
] as const
const THINGS = [
  'invoice',
  'ticket',
  'note',
  'mail',
  'photo',
  'song',
  'recipe',
  'flight',
  'hotel',
  'contact',
  'meeting',
  'commit',
  'branch',
  'server',
  'alarm',
  'lamp',
  'parcel',
  'invite',
  'payment',
  'forecast',
] as const

/** What a talk about many tools has. */
export interface ManyTools extends Bench {
  readonly requests: ModelRequest[]
  readonly talk: (
    runtime: Runtime,
    turns: readonly Turn[],
    options?: { readonly session?: string; readonly protocol?: 'native' | 'fenced' },
  ) => Promise<Conversation>
  /** Opens a runtime; `many` false gives it no servers. */
  readonly openMany: (options?: Partial<RuntimeOptions>, many?: boolean) => Promise<Runtime>
}

/** A bench with twenty servers of ten trusted tools each; nothing listens at their addresses. */
export function manyTools(): ManyTools {
  const servers = Object.fromEntries(
    THINGS.map((thing) => [`${thing}s`, { url: 'http://127.0.0.1:9/mcp', effect: 'read' }]),
  )
  const made = bench({ 'a.txt': 'alpha\n' })
  for (const thing of THINGS)
    trustPins({ stateDir: made.stateDir, witness: '' }, { name: `${thing}s` }, toolsAbout(thing))
  const requests: ModelRequest[] = []
  return {
    ...made,
    requests,
    async talk(runtime, turns, { session = 's', protocol = 'native' } = {}) {
      return openConversation({ runtime, model: scripted(turns, requests), session, protocol })
    },
    openMany: ({ config = {}, ...options } = {}, many = true) =>
      made.open({ ...options, config: many ? { 'mcp.servers': servers, ...config } : config }),
  }
}

function toolsAbout(thing: string) {
  const told = VERBS.map((verb) => ({
    name: `${verb}_${thing}`,
    description: `Use this to ${verb} one ${thing} or several of them. ${'It has conditions that take a while to tell. '.repeat(8)}`,
    inputSchema: {
      type: 'object',
      properties: {
        id: { type: 'string', description: `Which ${thing} is meant, by its id.` },
        filter: { type: 'string', description: 'Words that limit what is meant.' },
        limit: { type: 'integer', description: 'How many at most.' },
      },
      required: ['id'],
    },
  }))
  return readDefinitions(told).tools
}

/** Runs a turn to its end. */
export async function runTurn(conversation: Conversation, prompt: string | null): Promise<void> {
  for await (const event of conversation.send(prompt)) void event
}

/** What a model is told about, request by request. */
export function namesIn(request: ModelRequest | undefined): readonly string[] {
  return request?.tools.map(({ name }) => name) ?? []
}
