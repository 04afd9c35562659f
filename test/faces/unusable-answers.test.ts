import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { describe, expect, it, onTestFinished } from 'vitest'
import { isJsonObject, parseJson } from '../../src/core/json/value.ts'
import type { JsonObject, JsonValue } from '../../src/core/json/value.ts'
import { makeScripted, scriptOf } from './acp/open-editor.ts'
import { makeShop, TONGS } from './cli/command-line.ts'
import type { Shop } from './cli/command-line.ts'

const WRITE = { name: 'write_file', arguments: { path: 'a.txt', content: 'one\n' } }

/** A client of lines that answers every question with something that is no answer. */
function talk(shop: Shop, words: readonly string[], answer: JsonValue) {
  const child = spawn(TONGS, [...words, '--root', shop.root], { env: shop.env })
  child.stderr.resume()
  const ended = new Promise((done) => child.once('exit', done))
  onTestFinished(async () => {
    child.stdin.end()
    await ended
  })
  const waiting = new Map<unknown, (message: JsonObject) => void>()
  const send = (message: JsonObject): void =>
    void child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
  createInterface(child.stdout).on('line', (line) => {
    const message = parseJson(line)
    if (!isJsonObject(message)) return
    const { id, method } = message
    if (method === undefined) waiting.get(id)?.(message)
    else if (id !== undefined) send({ id, result: answer })
  })
  const ask = (id: number, method: string, params: JsonObject): Promise<JsonObject> => {
    const { promise, resolve } = Promise.withResolvers<JsonObject>()
    waiting.set(id, resolve)
    send({ id, method, params })
    return promise
  }
  return { send, ask }
}

describe.each<[JsonValue]>([[null], [[]], ['yes']])('an answer to a question that is %j', (answer) => {
  it('means later to an editor, at once', async () => {
    const { name, arguments: args } = WRITE
    const shop = makeScripted([{ text: '', calls: [{ id: 'c1', name, args }] }, { text: 'Done.' }])
    const { ask } = talk(shop, ['acp', '--model', `script:${scriptOf(shop)}`], answer)
    await ask(1, 'initialize', { protocolVersion: 1 })
    const made = await ask(2, 'session/new', { cwd: shop.root, mcpServers: [] })
    const sessionId = isJsonObject(made['result']) ? (made['result']['sessionId'] ?? null) : null
    const prompt = [{ type: 'text', text: 'go' }]
    expect(await ask(3, 'session/prompt', { sessionId, prompt })).toHaveProperty('result.stopReason')
    expect(shop.get('a.txt')).toBeNull()
    expect(await shop.pendingIds()).toHaveLength(1)
  })

  it('leaves the question of an MCP client open, at once', async () => {
    const shop = makeShop()
    onTestFinished(shop.remove)
    const { ask, send } = talk(shop, ['mcp'], answer)
    const clientInfo = { name: 'raw', version: '1' }
    const capabilities = { elicitation: {} }
    await ask(1, 'initialize', { protocolVersion: '2025-11-25', capabilities, clientInfo })
    send({ method: 'notifications/initialized' })
    expect(JSON.stringify(await ask(2, 'tools/call', WRITE))).toContain('Waiting for approval.')
    expect(shop.get('a.txt')).toBeNull()
    expect(await shop.pendingIds()).toHaveLength(1)
  })
})
