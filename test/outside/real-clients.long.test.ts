import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { expect, it, onTestFinished } from 'vitest'
import { isJsonObject } from '../../src/core/json/value.ts'
import { listen, openServed, TOKEN } from '../faces/mcp/open-client.ts'
import { outsideFolder } from './install.ts'

interface AiTool {
  readonly execute: (args: object, options: object) => Promise<unknown>
}

interface AiClient {
  readonly tools: () => Promise<Readonly<Record<string, AiTool>>>
  readonly onElicitationRequest: (schema: unknown, answer: () => Promise<object>) => void
  readonly close: () => Promise<void>
}

interface AiSdk {
  readonly createMCPClient: (options: object) => Promise<AiClient>
  readonly ElicitationRequestSchema: unknown
}

/** The MCP client of the AI SDK, connected over loopback; it answers forms if it is given an answer. */
async function openAiClient(url: string, answer: (() => object) | null) {
  const entry = join(await outsideFolder(), '@ai-sdk', 'mcp', 'dist', 'index.js')
  const sdk = (await import(pathToFileURL(entry).href)) as AiSdk
  const client = await sdk.createMCPClient({
    transport: { type: 'http', url, headers: { Authorization: `Bearer ${TOKEN}` } },
    ...(answer === null ? {} : { capabilities: { elicitation: {} } }),
  })
  onTestFinished(() => client.close())
  if (answer !== null) client.onElicitationRequest(sdk.ElicitationRequestSchema, async () => answer())
  const tools = await client.tools()
  return async (name: string, args: object): Promise<string> => {
    const result = await tools[name]?.execute(args, { toolCallId: 'c1', messages: [] })
    return isJsonObject(result) ? JSON.stringify(result) : String(result)
  }
}

it('the MCP client of the AI SDK gets what is allowed, waits for what is asked, and is denied the rest', async () => {
  const served = await openServed({ config: { 'tools.approval.denylist': ['run_shell'] } })
  writeFileSync(join(served.root, 'a.txt'), 'one\n')
  const call = await openAiClient(await listen(served), null)
  expect(await call('read_file', { path: 'a.txt' })).toContain('one\\n')
  const wanted = { path: 'b.txt', content: 'two\n' }
  expect(await call('write_file', wanted)).toContain('Waiting for approval')
  const [request] = await served.runtime.pending()
  expect(existsSync(join(served.root, 'b.txt'))).toBe(false)
  await served.runtime.decide([request?.id ?? ''], { isApproved: true })
  expect(await call('write_file', wanted)).not.toContain('"isError":true')
  expect(readFileSync(join(served.root, 'b.txt'), 'utf8')).toBe('two\n')
  // What is denied is not even offered.
  expect(await call('run_shell', { cmd: ['true'] })).toBe('undefined')
  expect(await call('read_file', { path: '../../etc/passwd' })).toContain('"isError":true')
})

it.each([
  ['yes, this once', true],
  ['no', false],
])('the MCP client of the AI SDK shows the form, and the answer %j counts', async (answer, isWritten) => {
  const served = await openServed()
  const call = await openAiClient(await listen(served), () => ({ action: 'accept', content: { answer } }))
  const result = await call('write_file', { path: 'a.txt', content: 'one\n' })
  expect(result.includes('"isError":true')).toBe(!isWritten)
  expect(existsSync(join(served.root, 'a.txt'))).toBe(isWritten)
})
