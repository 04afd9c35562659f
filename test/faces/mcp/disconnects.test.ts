import { spawn } from 'node:child_process'
import type { ChildProcessWithoutNullStreams } from 'node:child_process'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { JsonObject } from '../../../src/core/json/value.ts'
import { TOP } from '../../../scripts/run-tool.ts'
import { findProcesses } from '../../harness/find-processes.ts'
import { makeShop } from '../cli/command-line.ts'
import { connectHttp } from './open-client.ts'

type Shop = ReturnType<typeof makeShop>
const TOKEN = 'a-token-of-this-test'

/** Starts the program itself. */
function start(shop: Shop, words: readonly string[]): ChildProcessWithoutNullStreams {
  const child = spawn(join(TOP, 'bin', 'tongs'), ['mcp', '--root', shop.root, ...words], {
    env: { ...shop.env, TONGS_MCP_TOKEN: TOKEN },
  })
  onTestFinished(() => {
    child.kill('SIGKILL')
    shop.remove()
  })
  return child
}

const exitOf = (child: ChildProcessWithoutNullStreams): Promise<unknown> =>
  new Promise((done) => child.once('exit', done))

/** A client of lines that has said hello; `until` waits for a message. */
function openLines(child: ChildProcessWithoutNullStreams, capabilities: JsonObject = {}) {
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]()
  const send = (message: JsonObject): void =>
    void child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
  const clientInfo = { name: 'raw', version: '1' }
  send({ id: 0, method: 'initialize', params: { protocolVersion: '2025-11-25', capabilities, clientInfo } })
  send({ method: 'notifications/initialized' })
  const until = async (method: string): Promise<void> => {
    for (;;) {
      const { value, done } = await lines.next()
      if (done === true) throw new Error(`the server ended before ${method}`)
      if ((JSON.parse(value) as JsonObject)['method'] === method) return
    }
  }
  return { send, until }
}

/** A command that nothing else runs, and that would leave a file at its end. */
function slowCommand(tag: string): { readonly mark: string; readonly args: JsonObject } {
  const mark = `sleep 97${process.pid}.${tag}`
  return { mark, args: { cmd: ['sh', '-c', `echo begun; ${mark}; echo late > late.txt`] } }
}

const call = (args: JsonObject, name = 'run_shell'): JsonObject => ({
  id: 1,
  method: 'tools/call',
  params: { name, arguments: args, _meta: { progressToken: 'p' } },
})

const AUTO = ['--set', 'tools.approval.mode=auto']

async function expectNothingLeft(shop: Shop, mark: string): Promise<void> {
  await expect.poll(() => findProcesses(mark)).toEqual([])
  expect(shop.get('late.txt')).toBeNull()
  const recovered = await shop.tongs(['recover'])
  expect(recovered.code).toBe(0)
  expect((await shop.tongs(['pending'])).out).not.toContain('01')
  expect((await shop.tongs(['audit', 'verify'])).code).toBe(0)
}

describe('a client that goes in the middle', () => {
  it.each(['closes its pipes', 'is killed with the server'])(
    'of a command and %s leaves no process, no file and no question',
    async (how) => {
      const shop = makeShop()
      const child = start(shop, AUTO)
      const { mark, args } = slowCommand(how === 'closes its pipes' ? '11' : '12')
      const { send, until } = openLines(child)
      send(call(args))
      await until('notifications/progress')
      expect(findProcesses(mark).length).toBeGreaterThan(0)
      const ended = exitOf(child)
      if (how === 'closes its pipes') {
        child.stdin.end()
        child.stdout.destroy()
      } else child.kill('SIGKILL')
      await ended
      await expectNothingLeft(shop, mark)
    },
  )

  it('of an approval leaves the question for the person, and nothing done', async () => {
    const shop = makeShop()
    const child = start(shop, [])
    const { send, until } = openLines(child, { elicitation: {} })
    send(call({ path: 'a.txt', content: 'one\n' }, 'write_file'))
    await until('elicitation/create')
    const ended = exitOf(child)
    child.stdin.end()
    child.stdout.destroy()
    await ended
    expect(shop.get('a.txt')).toBeNull()
    const [id = ''] = await shop.pendingIds()
    expect((await shop.tongs(['approve', id])).code).toBe(0)
    expect(shop.get('a.txt')).toBe('one\n')
    expect(await shop.pendingIds()).toEqual([])
  })

  it('of a command over loopback ends the command, and the server goes on', async () => {
    const shop = makeShop()
    const child = start(shop, [...AUTO, '--http', '0'])
    const url = await new Promise<string>((done) => {
      let text = ''
      child.stderr.on('data', (part: Buffer) => {
        text += part.toString()
        const found = /http:\S+(?=;)/.exec(text)?.[0]
        if (found !== undefined) done(found)
      })
    })
    const { mark, args } = slowCommand('13')
    const { client } = await connectHttp(url, '2026-07-28', null, TOKEN)
    const stop = new AbortController()
    const slow = client.callTool(
      { name: 'run_shell', arguments: args },
      { signal: stop.signal, onprogress: () => stop.abort() },
    )
    await expect(slow).rejects.toThrow()
    await expect.poll(() => findProcesses(mark)).toEqual([])
    const other = await connectHttp(url, '2025-11-25', null, TOKEN)
    expect((await other.client.listTools()).tools.length).toBeGreaterThan(3)
    await other.close()
    const ended = exitOf(child)
    child.kill('SIGTERM')
    await ended
    await expectNothingLeft(shop, mark)
  })
})
