import { spawn } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { describe, expect, it, onTestFinished } from 'vitest'
import { isJsonObject, parseJson } from '../../../src/core/json/value.ts'
import type { JsonObject, JsonValue } from '../../../src/core/json/value.ts'
import { TONGS } from '../cli/command-line.ts'
import type { Shop } from '../cli/command-line.ts'
import { makeScripted, scriptOf } from './open-editor.ts'

/** What a client sends and answers, in the shapes in which its sources do. */
interface ClientShapes {
  readonly initialize: JsonObject
  /** Whether it authenticates with the first method that it is offered. */
  readonly authenticate: ((method: string) => JsonObject) | null
  readonly readFile: (path: string) => JsonValue
  readonly wrote: JsonValue
  readonly cancel: JsonObject
  readonly leaves: NodeJS.Signals
}

const CLIENTS: Readonly<Record<string, ClientShapes>> = {
  // A file that does not exist is an empty one to it, and it kills the agent when Neovim is left.
  'CodeCompanion in Neovim': {
    initialize: {
      protocolVersion: 1,
      clientCapabilities: { fs: { readTextFile: true, writeTextFile: true } },
      clientInfo: { name: 'CodeCompanion.nvim', version: '1.0.0' },
    },
    authenticate: (methodId) => ({ methodId }),
    readFile: (path) => ({ content: textOf(path) }),
    wrote: null,
    cancel: {},
    leaves: 'SIGKILL',
  },
  // It repeats the method that it authenticates with, and says why it cancels.
  'acp.el in Emacs': {
    initialize: {
      clientInfo: { name: 'agent-shell', title: 'Emacs Agent Shell', version: '1' },
      protocolVersion: 1,
      clientCapabilities: { fs: { readTextFile: false, writeTextFile: false } },
    },
    authenticate: (methodId) => ({ methodId, authMethod: { id: methodId, name: 'Set up a model' } }),
    readFile: () => null,
    wrote: {},
    cancel: { reason: 'User cancelled' },
    leaves: 'SIGHUP',
  },
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}

/** A client that is nothing but lines. */
function openLines(shop: Shop, shapes: ClientShapes) {
  const child = spawn(TONGS, ['acp', '--model', `script:${scriptOf(shop)}`], {
    cwd: shop.root,
    env: shop.env,
    detached: true,
  })
  let stderr = ''
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => (stderr += chunk))
  child.stdin.on('error', () => undefined)
  const ended = new Promise<void>((resolve) => child.on('close', () => resolve()))
  const lines: JsonObject[] = []
  const waiting = new Map<JsonValue, (answer: JsonObject) => void>()
  let option: string | null = 'allow_once'
  const send = (message: JsonObject): void =>
    void child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)

  function serve({ id = null, method, params }: JsonObject): void {
    const about = isJsonObject(params) ? params : {}
    if (method === 'fs/read_text_file') send({ id, result: shapes.readFile(String(about['path'])) })
    if (method === 'fs/write_text_file') {
      writeFileSync(String(about['path']), String(about['content']))
      send({ id, result: shapes.wrote })
    }
    if (method !== 'session/request_permission') return
    // As the protocol wants it: first the turn is cancelled, then whatever is asked in it.
    if (option === null)
      send({ method: 'session/cancel', params: { sessionId: about['sessionId'] ?? null, ...shapes.cancel } })
    const options = about['options'] as { readonly optionId: string; readonly kind: string }[]
    const chosen = options.find(({ kind }) => kind === option)?.optionId
    send({
      id,
      result: {
        outcome: chosen === undefined ? { outcome: 'cancelled' } : { outcome: 'selected', optionId: chosen },
      },
    })
  }

  createInterface({ input: child.stdout }).on('line', (line) => {
    const message = parseJson(line)
    if (!isJsonObject(message)) throw new Error(`not a message: ${line}`)
    lines.push(message)
    if (message['method'] !== undefined) serve(message)
    else waiting.get(message['id'] ?? null)?.(message)
  })
  let last = 0
  const request = (method: string, params: JsonObject): Promise<JsonObject> =>
    new Promise((resolve, reject) => {
      const id = ++last
      waiting.set(id, (answer) =>
        isJsonObject(answer['result'])
          ? resolve(answer['result'])
          : reject(new Error(JSON.stringify(answer['error']))),
      )
      send({ id, method, params })
    })
  const end = async (): Promise<void> => {
    child.kill(shapes.leaves)
    await ended
  }
  onTestFinished(end)
  return {
    lines,
    request,
    cancelWhenAsked: (): void => void (option = null),
    stderr: (): string => stderr,
    end,
  }
}

const TURNS = [
  { text: '', calls: [{ id: 'w', name: 'write_file', args: { path: 'n.txt', content: 'first\n' } }] },
  { text: '', calls: [{ id: 'e', name: 'edit_file', args: { path: 'n.txt', old: 'first', new: 'second' } }] },
  { text: 'Written.' },
  { text: '', calls: [{ id: 'x', name: 'write_file', args: { path: 'never.txt', content: 'x\n' } }] },
  { text: 'Never.' },
]

describe('a client that others wrote', () => {
  it.for(Object.keys(CLIENTS))('%s is understood, and understands the agent', async (name) => {
    const shapes = CLIENTS[name]
    if (shapes === undefined) throw new Error('no such client')
    const shop = makeScripted(TURNS)
    const client = openLines(shop, shapes)
    const introduced = await client.request('initialize', shapes.initialize)
    expect(introduced).toMatchObject({ protocolVersion: 1, agentCapabilities: { loadSession: true } })
    const [method] = introduced['authMethods'] as { readonly id: string }[]
    if (shapes.authenticate !== null)
      await client.request('authenticate', shapes.authenticate(method?.id ?? ''))
    const { sessionId = null } = await client.request('session/new', { cwd: shop.root, mcpServers: [] })
    const prompt = (text: string) =>
      client.request('session/prompt', { sessionId, prompt: [{ type: 'text', text }] })

    expect(await prompt('write it')).toMatchObject({ stopReason: 'end_turn' })
    expect(shop.get('n.txt')).toBe('second\n')

    client.cancelWhenAsked()
    expect(await prompt('and more')).toMatchObject({ stopReason: 'cancelled' })
    expect(shop.get('never.txt')).toBeNull()
    // Some clients show everything on standard error as a failure.
    expect(client.stderr()).toBe('')

    await client.end()
    const next = openLines(shop, shapes)
    await next.request('initialize', shapes.initialize)
    await next.request('session/load', { cwd: shop.root, mcpServers: [], sessionId })
    expect(JSON.stringify(next.lines)).toContain('Written.')
  })

  it('learns the name of a session before it is told anything about it', async () => {
    const shapes = CLIENTS['acp.el in Emacs']
    if (shapes === undefined) throw new Error('no such client')
    const shop = makeScripted([{ text: 'Hello.' }])
    const client = openLines(shop, shapes)
    await client.request('initialize', shapes.initialize)
    const { sessionId = null } = await client.request('session/new', { cwd: shop.root, mcpServers: [] })
    await client.request('session/prompt', { sessionId, prompt: [{ type: 'text', text: 'hello' }] })
    const answered = client.lines.findIndex(({ result }) => isJsonObject(result) && 'sessionId' in result)
    const told = client.lines.findIndex(({ method }) => method === 'session/update')
    expect(JSON.stringify(client.lines[told])).toContain('available_commands_update')
    expect(answered).toBeLessThan(told)
  })
})
