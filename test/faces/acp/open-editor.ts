import { spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Readable, Writable } from 'node:stream'
import { client, ndJsonStream } from '@agentclientprotocol/sdk'
import type {
  ClientCapabilities,
  ClientContext,
  ContentBlock,
  InitializeResponse,
  NewSessionRequest,
  PromptResponse,
  RequestPermissionRequest,
  RequestPermissionResponse,
  SessionNotification,
  SessionUpdate,
} from '@agentclientprotocol/sdk'
import { onTestFinished } from 'vitest'
import { PATIENCE_MS } from '../../harness/patience.ts'
import { makeShop, TONGS } from '../cli/command-line.ts'
import type { Shop } from '../cli/command-line.ts'

/** How a person at the editor answers a question. */
export type Ask = (
  request: RequestPermissionRequest,
) => RequestPermissionResponse | Promise<RequestPermissionResponse>

/** What an editor is like. */
export interface EditorWish {
  readonly ask?: Ask
  readonly capabilities?: ClientCapabilities
  /** Options of `tongs acp`. */
  readonly words?: readonly string[]
  readonly env?: NodeJS.ProcessEnv
  /** Answers requests by their method, such as those for files. */
  readonly answers?: Readonly<Record<string, (params: never) => unknown>>
}

/** An editor of the official library, connected to a real `tongs acp`. */
export interface Editor {
  readonly agent: ClientContext
  readonly introduced: InitializeResponse
  readonly updates: readonly SessionNotification[]
  /** Other notifications of the agent. */
  readonly told: readonly { readonly method: string; readonly params: unknown }[]
  readonly asked: readonly RequestPermissionRequest[]
  /** Begins a session in the root of the shop. */
  readonly begin: (more?: Partial<NewSessionRequest>) => Promise<string>
  readonly prompt: (session: string, prompt: string | ContentBlock[]) => Promise<PromptResponse>
  /** The updates of one kind so far. */
  readonly ofKind: <K extends SessionUpdate['sessionUpdate']>(
    kind: K,
  ) => readonly Extract<SessionUpdate, { readonly sessionUpdate: K }>[]
  /** What the agent has said so far. */
  readonly said: () => string
  /** Resolves when an update is there that is looked for. */
  readonly until: (isMet: (update: SessionUpdate) => boolean) => Promise<SessionUpdate>
  readonly pid: number
  /** Ends the agent in this way; resolves when it has ended. */
  readonly end: (how?: 'hang up' | NodeJS.Signals) => Promise<number | null>
  readonly stderr: () => string
}

/** A shop whose model follows a script. */
export function makeScripted(turns: readonly unknown[], files: Readonly<Record<string, string>> = {}): Shop {
  const shop = makeShop(files)
  writeFileSync(scriptOf(shop), JSON.stringify({ turns }))
  onTestFinished(shop.remove)
  return shop
}

export function scriptOf({ stateDir }: Pick<Shop, 'stateDir'>): string {
  return join(stateDir, '..', 'script.json')
}

/** Agrees once to everything. */
export const agree: Ask = () => ({ outcome: { outcome: 'selected', optionId: 'once' } })

/** Starts the agent and says hello. */
export async function openEditor(
  shop: Pick<Shop, 'root' | 'stateDir' | 'env'>,
  wish: EditorWish = {},
): Promise<Editor> {
  const { ask = agree, words = ['--model', `script:${scriptOf(shop)}`], answers = {} } = wish
  const child = spawn(TONGS, ['acp', '--root', shop.root, ...words], {
    cwd: shop.root,
    env: { ...shop.env, ...wish.env },
    detached: true,
  })
  let stderr = ''
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => (stderr += chunk))
  const ended = new Promise<number | null>((resolve) => child.on('close', (code) => resolve(code)))
  child.stdin.on('error', () => undefined)
  const updates: SessionNotification[] = []
  const asked: RequestPermissionRequest[] = []
  const told: { method: string; params: unknown }[] = []
  const watchers = new Set<() => void>()
  const app = client({ name: 'editor' })
    .onNotification('session/update', ({ params }) => {
      updates.push(params)
      for (const watch of watchers) watch()
    })
    .onNotification('*', ({ method, params }) => void told.push({ method, params }))
    .onRequest('session/request_permission', ({ params }) => {
      asked.push(params)
      return ask(params)
    })
    .onRequest('*', ({ method, params }) => {
      const answer = answers[method]
      if (answer === undefined) throw new Error(`no ${method} here`)
      return answer(params as never)
    })
  const stream = ndJsonStream(
    Writable.toWeb(child.stdin) as WritableStream<Uint8Array>,
    Readable.toWeb(child.stdout) as ReadableStream<Uint8Array>,
  )
  const connection = app.connect(stream)
  const { agent } = connection
  const end: Editor['end'] = async (how = 'hang up') => {
    if (how === 'hang up') child.stdin.end()
    else child.kill(how)
    const code = await ended
    connection.close()
    return code
  }
  onTestFinished(async () => {
    await end()
  })
  const introduced = await agent.request('initialize', {
    protocolVersion: 1,
    clientCapabilities: wish.capabilities ?? {},
    clientInfo: { name: 'test', version: '1.0.0' },
  })
  const until: Editor['until'] = (isMet) =>
    new Promise((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error(`no such update; stderr: ${stderr}`)), PATIENCE_MS)
      const watch = (): void => {
        const found = updates.find(({ update }) => isMet(update))
        if (found === undefined) return
        clearTimeout(timer)
        watchers.delete(watch)
        resolve(found.update)
      }
      watchers.add(watch)
      watch()
    })
  const ofKind: Editor['ofKind'] = <K extends SessionUpdate['sessionUpdate']>(kind: K) =>
    updates.flatMap(({ update }) =>
      update.sessionUpdate === kind ? [update as Extract<SessionUpdate, { readonly sessionUpdate: K }>] : [],
    )
  return {
    agent,
    introduced,
    updates,
    told,
    asked,
    begin: async (more = {}) =>
      (await agent.request('session/new', { cwd: shop.root, mcpServers: [], ...more })).sessionId,
    prompt: (sessionId, prompt) =>
      agent.request('session/prompt', {
        sessionId,
        prompt: typeof prompt === 'string' ? [{ type: 'text', text: prompt }] : prompt,
      }),
    ofKind,
    said: () =>
      ofKind('agent_message_chunk')
        .map(({ content }) => (content.type === 'text' ? content.text : ''))
        .join(''),
    until,
    pid: child.pid ?? 0,
    end,
    stderr: () => stderr,
  }
}
