import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { makeScripted, openEditor } from './open-editor.ts'
import type { Ask } from './open-editor.ts'

/** A server without any library, because it is confined to its own file. */
const SERVER = `
const { createInterface } = require('node:readline')
const say = (id, result) => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, result }) + '\\n')
createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line)
  if (method === 'initialize')
    say(id, {
      protocolVersion: params.protocolVersion,
      capabilities: { tools: {} },
      serverInfo: { name: 'words', version: '1.0.0' },
    })
  else if (method === 'tools/list')
    say(id, { tools: [{ name: 'greet', description: 'Says hello.', inputSchema: { type: 'object' } }] })
  else if (method === 'tools/call') say(id, { content: [{ type: 'text', text: 'hello from afar' }] })
  else if (id !== undefined)
    process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, error: { code: -32601, message: 'no' } }) + '\\n')
})
`

const answering =
  (answers: Readonly<Record<string, string>>): Ask =>
  ({ toolCall }) => {
    const [, optionId] =
      Object.entries(answers).find(([words]) => toolCall.title?.includes(words) === true) ?? []
    return { outcome: { outcome: 'selected', optionId: optionId ?? 'once' } }
  }

describe('MCP servers that an editor hands over', () => {
  it('are asked about twice, before they start and before their tools are used', async () => {
    const shop = makeScripted([{ text: 'Looking.' }])
    const file = join(shop.stateDir, '..', 'server.cjs')
    writeFileSync(file, SERVER)
    const editor = await openEditor(shop, { ask: answering({ Start: 'yes', Use: 'yes' }) })
    const server = { name: 'words', command: process.execPath, args: [file], env: [] }
    const sessionId = await editor.begin({ mcpServers: [server] })
    expect(editor.asked).toEqual([])
    await editor.prompt(sessionId, 'go')
    expect(editor.asked.map(({ toolCall }) => toolCall.title)).toEqual([
      'Start the MCP server words?',
      'Use the 1 tools of words?',
    ])
    expect(JSON.stringify(editor.asked[0]?.toolCall.content)).toContain(file)
    const { tools } = await editor.agent.request<{ tools: readonly { name: string }[] }>(
      '_tongs/tools/list',
      {
        sessionId,
      },
    )
    const name = tools.find((tool) => tool.name.endsWith('__greet'))?.name
    expect(name).toMatch(/^words-[0-9a-f]{8}__greet$/)
    const result = await editor.agent.request('_tongs/call', { sessionId, name, args: {} })
    expect(result).toMatchObject({ ok: true, result: { text: 'hello from afar' } })
  })

  it('are never started after a no, and another program never inherits what was trusted', async () => {
    const shop = makeScripted([{ text: 'One.' }, { text: 'Two.' }])
    const trace = join(shop.root, 'started')
    const editor = await openEditor(shop, { ask: answering({ Start: 'no' }) })
    const server = { name: 'words', command: '/bin/touch', args: [trace], env: [] }
    await editor.prompt(await editor.begin({ mcpServers: [server] }), 'go')
    expect(editor.asked).toHaveLength(1)
    expect(shop.get('started')).toBeNull()
    const other = { ...server, args: [`${trace}2`] }
    await editor.prompt(await editor.begin({ mcpServers: [other] }), 'go')
    expect(editor.asked).toHaveLength(2)
  })

  it('are refused with a reason if they cannot be used', async () => {
    const shop = makeScripted([{ text: 'One.' }])
    const editor = await openEditor(shop)
    const mcpServers = [
      { type: 'sse' as const, name: 'old', url: 'https://example.com', headers: [] },
      { name: 'nosy', command: '/bin/true', args: [], env: [{ name: 'K', value: '${ANTHROPIC_API_KEY}' }] },
      { name: 'near', command: './here', args: [], env: [] },
    ]
    await editor.prompt(await editor.begin({ mcpServers }), 'go')
    expect(editor.asked).toEqual([])
    for (const name of ['old', 'nosy', 'near'])
      expect(editor.said()).toContain(`The MCP server ${name} is not used`)
  })
})
