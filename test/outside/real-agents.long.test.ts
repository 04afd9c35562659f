import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, it, onTestFinished } from 'vitest'
import type { JsonObject } from '../../src/core/json/value.ts'
import { listen, openServed, TOKEN } from '../faces/mcp/open-client.ts'
import { outsideFolder } from './install.ts'

/** What the agent has sent and got so far; each part has a type. */
type History = readonly JsonObject[]

interface AgentSdk {
  readonly Agent: new (options: object) => object
  readonly Runner: new (options: object) => {
    readonly run: (
      agent: object,
      input: string,
    ) => Promise<{ readonly history: History; readonly finalOutput?: string }>
  }
  readonly Usage: new () => object
  readonly MCPServerStreamableHttp: new (options: object) => {
    readonly connect: () => Promise<void>
    readonly close: () => Promise<void>
    readonly listTools: () => Promise<readonly { readonly name: string }[]>
  }
}

/** An agent of the OpenAI Agents SDK that has nothing but our tools; its model makes the calls that it is told to. */
async function openAgent(url: string) {
  const entry = join(await outsideFolder(), '@openai', 'agents-core', 'dist', 'index.mjs')
  const sdk = (await import(pathToFileURL(entry).href)) as AgentSdk
  const server = new sdk.MCPServerStreamableHttp({
    url,
    name: 'tongs',
    requestInit: { headers: { Authorization: `Bearer ${TOKEN}` } },
  })
  await server.connect()
  onTestFinished(() => server.close())
  const turn = (...output: object[]): object => ({ usage: new sdk.Usage(), output })
  const say = (text: string): object =>
    turn({
      type: 'message',
      role: 'assistant',
      status: 'completed',
      content: [{ type: 'output_text', text }],
    })
  /** What the model is given as the result of a call. */
  async function call(name: string, args: object): Promise<string> {
    const turns = [
      turn({
        type: 'function_call',
        callId: 'c1',
        name,
        arguments: JSON.stringify(args),
        status: 'completed',
      }),
      say('done'),
    ]
    const model = { getResponse: async () => turns.shift() ?? say('again') }
    const agent = new sdk.Agent({ name: 'worker', model, mcpServers: [server] })
    const runner = new sdk.Runner({ tracingDisabled: true })
    const { history, finalOutput } = await runner.run(agent, 'Do it.')
    expect(finalOutput).toBe('done')
    return JSON.stringify(history.filter(({ type }) => type === 'function_call_result'))
  }
  return { call, offered: (await server.listTools()).map(({ name }) => name) }
}

it('an agent of the OpenAI Agents SDK gets what is allowed, waits for what is asked, and is denied the rest', async () => {
  const served = await openServed({ config: { 'tools.approval.denylist': ['run_shell'] } })
  writeFileSync(join(served.root, 'a.txt'), 'one\n')
  const { call, offered } = await openAgent(await listen(served))
  expect(offered).toContain('read_file')
  // What is denied is not even offered.
  expect(offered).not.toContain('run_shell')
  expect(await call('read_file', { path: 'a.txt' })).toContain('one')
  const wanted = { path: 'b.txt', content: 'two\n' }
  expect(await call('write_file', wanted)).toContain('Waiting for approval')
  expect(existsSync(join(served.root, 'b.txt'))).toBe(false)
  const [request] = await served.runtime.pending()
  await served.runtime.decide([request?.id ?? ''], { isApproved: true })
  expect(await call('write_file', wanted)).not.toContain('Waiting for approval')
  expect(readFileSync(join(served.root, 'b.txt'), 'utf8')).toBe('two\n')
  expect(await call('read_file', { path: '../../etc/passwd' })).toContain('is refused')
})

it('an agent of the OpenAI Agents SDK is told that its question was answered with no', async () => {
  const served = await openServed()
  const { call } = await openAgent(await listen(served))
  const wanted = { path: 'b.txt', content: 'two\n' }
  expect(await call('write_file', wanted)).toContain('Waiting for approval')
  const [request] = await served.runtime.pending()
  await served.runtime.decide([request?.id ?? ''], { isApproved: false })
  expect(await call('write_file', wanted)).toMatch(/not approved|denied|rejected|declined/i)
  expect(existsSync(join(served.root, 'b.txt'))).toBe(false)
})
