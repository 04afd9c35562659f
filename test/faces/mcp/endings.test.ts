import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { codeOf, connectHttp, connectStreams, listen, openServed, REVISIONS, textOf } from './open-client.ts'
import type { Served } from './open-client.ts'
import { makeShop } from '../cli/command-line.ts'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { TOP } from '../../../scripts/run-tool.ts'

const AUTO = { config: { 'tools.approval.mode': 'auto' } }

/** A command that says that it has begun, and would leave a file if it came to its end. */
const SLOW = { cmd: ['sh', '-c', 'echo begun; sleep 60; echo late > late.txt'] }

/** The last states of the calls on record. */
function states({ runtime }: Served): readonly string[] {
  const last = new Map<string, string>()
  for (const { executionId, state } of runtime.audit()) last.set(executionId, state)
  return [...last.values()]
}

describe.each(REVISIONS)('a call that is under way in revision %s', (revision) => {
  it('tells how it gets on, is cancelled by the client, and leaves nothing', async () => {
    const served = await openServed(AUTO)
    const { client, call } = await connectStreams(served, revision)
    const stop = new AbortController()
    const told: string[] = []
    const slow = client.callTool(
      { name: 'run_shell', arguments: SLOW },
      {
        signal: stop.signal,
        onprogress: ({ message }) => {
          told.push(message ?? '')
          stop.abort()
        },
      },
    )
    await expect(slow).rejects.toThrow()
    expect(told[0]).toBe('begun')
    await expect.poll(() => states(served)).toEqual(['ROLLED_BACK'])
    expect(existsSync(join(served.root, 'late.txt'))).toBe(false)
    expect(codeOf(await call('read_file', { path: 'late.txt' }))).toBe('execution_failed')
  })

  it('is cancelled when the client goes, and nothing is left running', async () => {
    const served = await openServed(AUTO)
    const { client, close } = await connectStreams(served, revision)
    const { promise: begun, resolve: begin } = Promise.withResolvers<undefined>()
    const slow = client.callTool(
      { name: 'run_shell', arguments: SLOW },
      { onprogress: () => begin(undefined) },
    )
    slow.catch(() => undefined)
    await begun
    await close()
    expect(states(served)).toEqual(['ROLLED_BACK'])
    expect(existsSync(join(served.root, 'late.txt'))).toBe(false)
  })

  it('a question that the client leaves unanswered when it goes still waits for the person', async () => {
    const served = await openServed()
    const { promise: asked, resolve: ask } = Promise.withResolvers<undefined>()
    const { call, close } = await connectStreams(served, revision, () => {
      ask(undefined)
      return new Promise(() => undefined)
    })
    call('write_file', { path: 'a.txt', content: 'one\n' }).catch(() => undefined)
    await asked
    await close()
    const [request] = await served.runtime.pending()
    expect(existsSync(join(served.root, 'a.txt'))).toBe(false)
    await served.runtime.decide([String(request?.id)], { isApproved: true })
    expect(readFileSync(join(served.root, 'a.txt'), 'utf8')).toBe('one\n')
  })

  it('over loopback it is cancelled when the client goes', async () => {
    const served = await openServed(AUTO)
    const { client } = await connectHttp(await listen(served), revision)
    const stop = new AbortController()
    const slow = client.callTool(
      { name: 'run_shell', arguments: SLOW },
      { signal: stop.signal, onprogress: () => stop.abort() },
    )
    await expect(slow).rejects.toThrow()
    await expect.poll(() => states(served)).toEqual(['ROLLED_BACK'])
  })

  it('what a command changed is shown before it lands', async () => {
    const served = await openServed()
    const messages: string[] = []
    const { call } = await connectStreams(served, revision, (form) => {
      messages.push(String(form['message']))
      return { action: 'accept', content: { answer: 'yes, this once' } }
    })
    const result = await call('run_shell', { cmd: ['sh', '-c', 'echo new > made.txt'] })
    expect(codeOf(result)).toBe('ok')
    expect(messages.at(-1)).toContain('May what it changed land?')
    expect(messages.at(-1)).toContain('+new')
    expect(readFileSync(join(served.root, 'made.txt'), 'utf8')).toBe('new\n')
  })
})

describe('tongs mcp', () => {
  it('is a program that the official client starts, asks through, and ends', async () => {
    const shop = makeShop({ 'a.txt': 'one\n' })
    const env = Object.fromEntries(
      Object.entries(shop.env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
    )
    const transport = new StdioClientTransport({
      command: join(TOP, 'bin', 'tongs'),
      args: ['mcp', '--root', shop.root],
      env,
      stderr: 'pipe',
    })
    let err = ''
    transport.stderr?.on('data', (part: Buffer) => (err += part.toString()))
    const client = new Client({ name: 'test', version: '1.0.0' })
    await client.connect(transport)
    const read = await client.callTool({ name: 'read_file', arguments: { path: 'a.txt' } })
    expect(textOf(read)).toBe('one\n')
    const waits = await client.callTool({
      name: 'write_file',
      arguments: { path: 'b.txt', content: 'two\n' },
    })
    expect(codeOf(waits)).toBe('approval_required')
    const [id = ''] = await shop.pendingIds()
    expect(textOf(waits)).toContain(id)
    // The server owns the session, so the answer is handed to it.
    expect((await shop.tongs(['approve', id])).code).toBe(0)
    expect(shop.get('b.txt')).toBe('two\n')
    const done = await client.callTool({ name: 'write_file', arguments: { path: 'b.txt', content: 'two\n' } })
    expect(codeOf(done)).toBe('ok')
    await client.close()
    expect(err).toBe('')
    expect(await shop.tongs(['undo', '--yes'])).toMatchObject({ code: 0, err: '' })
    expect(shop.get('b.txt')).toBeNull()
    shop.remove()
  })

  it.each([
    [['--http', 'x'], '--http takes a port'],
    [['--http', '70000'], '--http takes a port'],
    [['--yes'], 'mcp does not take --yes'],
    [['--session', 'a'], 'mcp does not take --session'],
  ])('with %j it says what is wrong', async (words, message) => {
    const shop = makeShop()
    const { code, err } = await shop.tongs(['mcp', ...words])
    expect(code).toBe(2)
    expect(err).toContain(message)
    shop.remove()
  })
})
