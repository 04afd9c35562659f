import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { describe, expect, it, onTestFinished } from 'vitest'
import { isJsonObject, parseJson } from '../../../src/core/json/value.ts'
import type { JsonObject } from '../../../src/core/json/value.ts'
import { TONGS } from '../cli/command-line.ts'
import { makeScripted, scriptOf } from './open-editor.ts'

const HELLO = { jsonrpc: '2.0', id: 'hello', method: 'initialize', params: { protocolVersion: 1 } }

/** Sends bytes to a real agent and collects its lines until one has this id. */
async function talk(send: (write: (bytes: string | Uint8Array) => void) => void, id: unknown) {
  const shop = makeScripted([{ text: 'Still here.' }])
  const child = spawn(TONGS, ['acp', '--root', shop.root, '--model', `script:${scriptOf(shop)}`], {
    env: shop.env,
    detached: true,
  })
  child.stdin.on('error', () => undefined)
  child.stderr.resume()
  const ended = new Promise<number | null>((resolve) => child.on('close', (code) => resolve(code)))
  onTestFinished(async () => {
    child.stdin.end()
    await ended
  })
  const lines: JsonObject[] = []
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  createInterface({ input: child.stdout }).on('line', (line) => {
    const value = parseJson(line)
    if (!isJsonObject(value)) reject(new Error(`not a JSON line: ${line}`))
    else {
      lines.push(value)
      if (value['id'] === id) resolve()
    }
  })
  void ended.then((code) => reject(new Error(`the agent ended with ${String(code)}`)))
  send((bytes) => void child.stdin.write(bytes))
  await promise
  return { lines, root: shop.root }
}

const line = (message: unknown): string => `${JSON.stringify(message)}\n`

describe('what an editor may send', () => {
  it('answers lines that are not messages, each for itself, and reads the next as ever', async () => {
    const { lines } = await talk((write) => {
      write('not json\n')
      write('[]\n42\n"x"\nnull\n\n   \n')
      write('{"jsonrpc":"2.0","id":1,"id":2,"method":"initialize","params":{}}\n')
      write('{"id":3,"method":"initialize"}\n')
      write(line({ jsonrpc: '2.0', id: 4, method: 'no/such/method', params: {} }))
      write(line({ jsonrpc: '2.0', id: 5, method: 'session/prompt', params: { sessionId: 7, prompt: 'x' } }))
      write(line({ jsonrpc: '2.0', id: 6, method: 'session/new', params: { cwd: null } }))
      write(line({ jsonrpc: '2.0', method: 'session/cancel', params: { sessionId: 'nobody' } }))
      write(line({ jsonrpc: '2.0', method: 'session/cancel', params: 'x' }))
      write(line({ jsonrpc: '2.0', id: 99, result: {} }))
      write(line({ jsonrpc: '2.0', id: 8, method: '__proto__', params: {} }))
      write(line({ jsonrpc: '2.0', id: 9, method: '_tongs/why', params: [] }))
      write(line(HELLO))
    }, 'hello')
    expect(lines.every(({ jsonrpc }) => jsonrpc === '2.0')).toBe(true)
    const failed = (id: number | null) =>
      lines.filter((one) => one['id'] === id && isJsonObject(one['error'])).length
    for (const id of [3, 4, 5, 6, 8, 9]) expect([id, failed(id)]).toEqual([id, 1])
    expect(failed(null)).toBeGreaterThanOrEqual(5)
    expect(lines.find(({ id }) => id === 'hello')).toMatchObject({ result: { protocolVersion: 1 } })
  })

  it('stands a message of 40 megabytes, and one that is torn into single bytes', async () => {
    const { lines } = await talk((write) => {
      const part = Buffer.alloc(1024 * 1024, 'x')
      write('{"jsonrpc":"2.0","id":1,"method":"')
      for (let count = 0; count < 40; count++) write(part)
      write('"}\n')
      for (const byte of Buffer.from(line(HELLO))) write(Buffer.of(byte))
    }, 'hello')
    expect(lines).toMatchObject([
      { id: null, error: { message: expect.stringContaining('it was not read') as string } },
      { id: 'hello', result: { protocolVersion: 1 } },
    ])
  })

  it('answers a prompt for a session that cannot be, before any hello', async () => {
    const { lines } = await talk((write) => {
      write(
        line({
          jsonrpc: '2.0',
          id: 1,
          method: 'session/prompt',
          params: { sessionId: 'a\u202eb', prompt: [] },
        }),
      )
      write(line(HELLO))
    }, 'hello')
    expect(lines.find(({ id }) => id === 1)).toHaveProperty('error')
  })
})
