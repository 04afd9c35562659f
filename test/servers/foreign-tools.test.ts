import { readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import type { LiveEvent } from '../../src/pipeline/engine.ts'
import { forgetServer } from '../../src/runtime/servers/trusted-pins.ts'
import { errorOf, outputOf } from '../bench-folder.ts'
import { findProcesses } from '../harness/find-processes.ts'
import { PATIENCE_MS } from '../harness/patience.ts'
import { callIn, programEntry, serverBench } from './server-bench.ts'

const sample = (entry: object = {}, args: readonly string[] = []) =>
  serverBench(programEntry('sample-server.ts', args, entry))

describe('the tools of an MCP server', () => {
  it('are there once they were trusted, under the name of the server, and not before', async () => {
    const { open, openTrusted } = sample()
    const before = await open()
    expect(before.servers.list()).toMatchObject([{ name: 's', state: 'untrusted', tools: [] }])
    expect(before.definitions().some(({ name }) => name.startsWith('s__'))).toBe(false)
    expect(errorOf(await callIn(before, 's__echo', { value: 'a' })).code).toBe('unknown_tool')
    const runtime = await openTrusted()
    expect(runtime.servers.list()).toMatchObject([{ state: 'trusted', lastError: null }])
    const result = await callIn(runtime, 's__echo', { value: 'a' })
    expect(outputOf(result)).toEqual({ text: 'a' })
    expect(result.content).toBe('a')
    expect(outputOf(await callIn(runtime, 's__count', { value: 'abc' }))).toEqual({
      text: '3',
      structured: { count: 3 },
    })
  })

  it('are not there for what another program wrote as trusted, in the place of it or from another server or state folder', async () => {
    const made = sample()
    await (await made.openTrusted()).close()
    const file = join(made.stateDir, 'mcp', 's.json')
    const trusted = readFileSync(file, 'utf8')
    const stateNow = async (config = {}) => {
      const runtime = await made.open(config)
      const [{ state, tools } = { state: null, tools: [] }] = runtime.servers.list()
      await runtime.close()
      return [state, tools.length > 0]
    }
    writeFileSync(file, trusted.replace('Says it again.', 'Says more.'))
    expect(await stateNow()).toEqual(['untrusted', false])
    writeFileSync(file, trusted)
    expect(await stateNow()).toEqual(['trusted', true])
    writeFileSync(join(made.stateDir, 'mcp', 'u.json'), trusted)
    expect(
      await stateNow({ config: { 'mcp.servers': { u: programEntry('sample-server.ts', []) } } }),
    ).toEqual(['untrusted', false])
    const other = sample()
    await (await other.openTrusted()).close()
    writeFileSync(join(made.stateDir, 'trust.json'), readFileSync(join(other.stateDir, 'trust.json')))
    expect(await stateNow()).toEqual(['untrusted', false])
    // Control: trusted again by a person, it counts.
    await (await made.openTrusted()).close()
    expect(await stateNow()).toEqual(['trusted', true])
    forgetServer({ stateDir: made.stateDir, witness: '' }, 's')
    writeFileSync(file, trusted)
    expect(await stateNow()).toEqual(['untrusted', false])
  })

  it('are external whatever the server says of them, unless the user says that they read', async () => {
    const external = await sample().openTrusted({ approve: () => ['deny'] })
    expect(external.definitions().find(({ name }) => name === 's__append')).toMatchObject({
      effect: 'external',
    })
    expect(errorOf(await callIn(external, 's__append', { value: 'a' })).code).toBe('approval_denied')
    const reading = await sample({ effect: 'read' }).openTrusted({ approve: () => ['deny'] })
    expect(outputOf(await callIn(reading, 's__echo', { value: 'a' }))).toEqual({ text: 'a' })
  })

  it('are called with arguments that fit their schema, and with a key that the record has too', async () => {
    const { top } = sample()
    const log = join(top, 'log.txt')
    writeFileSync(log, '')
    const { openTrusted } = sample({ write: [log] }, [log])
    const runtime = await openTrusted()
    expect(errorOf(await callIn(runtime, 's__append', { value: 5 })).code).toBe('bad_args')
    const { execution } = await callIn(runtime, 's__append', { value: 'line' })
    const text = readFileSync(log, 'utf8')
    expect(text).toContain(`"tongs/idempotency-key":"${execution.id}"`)
    expect(text.split('\n')).toHaveLength(2)
    const starts = [...runtime.log()].filter((entry) => JSON.stringify(entry).includes(execution.id))
    expect(starts.length).toBeGreaterThan(1)
  })

  it('reach only what the entry of their server names', async () => {
    const listener = createServer().listen(0, '127.0.0.1')
    onTestFinished(() => void listener.close())
    await new Promise((done) => listener.once('listening', done))
    const address = listener.address()
    const port = typeof address === 'object' && address !== null ? `${address.port}` : ''
    const { put, openTrusted, stateDir } = sample()
    const inside = put('a.txt', 'secret of the workspace')
    const runtime = await openTrusted()
    for (const path of [inside, '/etc/shadow', join(stateDir, 'mcp', 's.json')])
      expect(errorOf(await callIn(runtime, 's__read', { value: path })).message).toMatch(/ENOENT|EACCES/)
    expect(outputOf(await callIn(runtime, 's__dial', { value: port }))).not.toEqual({ text: 'connected' })
    const open = sample({ network: true })
    const networked = await open.openTrusted()
    expect(outputOf(await callIn(networked, 's__dial', { value: port }))).toEqual({ text: 'connected' })
  })

  it('see the root if the entry says so, without its denied files', async () => {
    const entry = programEntry('sample-server.ts', [])
    const { put, openTrusted } = serverBench({ ...entry, read: [...entry.read, '.'] })
    const [shown, hidden] = [put('a.txt', 'hello'), put('.env', 'KEY=1')]
    const runtime = await openTrusted()
    expect(outputOf(await callIn(runtime, 's__read', { value: shown }))).toEqual({ text: 'hello' })
    expect(errorOf(await callIn(runtime, 's__read', { value: hidden })).message).toMatch(/EACCES|ENOENT/)
  })

  it('get the variables of the entry and no secrets of this process', async () => {
    process.env['SERVER_TEST_TOKEN'] = 'tok-1'
    onTestFinished(() => void delete process.env['SERVER_TEST_TOKEN'])
    const runtime = await sample({ env: { GIVEN: 'x-${SERVER_TEST_TOKEN}' } }).openTrusted()
    expect(outputOf(await callIn(runtime, 's__env', { value: 'GIVEN' }))).toEqual({ text: 'x-tok-1' })
    expect(outputOf(await callIn(runtime, 's__env', { value: 'SERVER_TEST_TOKEN' }))).toEqual({
      text: 'undefined',
    })
    const { open } = sample({ env: { LD_PRELOAD: '/x.so' } })
    await expect((await open()).servers.inspect('s')).rejects.toThrow(/LD_PRELOAD/)
  })

  it('do not give a secret of the entry to a model', async () => {
    const token = 'k9Xw2vB7qLmT4rZ8'
    const config = { 'secrets.to_model': 'deny' }
    const runtime = await sample({ env: { API_TOKEN: `Bearer ${token}` } }).openTrusted({ config })
    const result = await callIn(runtime, 's__env', { value: 'API_TOKEN' }, { origin: 'model' })
    expect(result.content).not.toContain(token)
  })

  it('report how they get on as output of their call, made safe and without secrets', async () => {
    const token = 'k9Xw2vB7qLmT4rZ8'
    const runtime = await sample({ env: { API_TOKEN: token } }).openTrusted()
    const chunks: string[] = []
    const onEvent = (event: LiveEvent): void => {
      if (event.event === 'output') chunks.push(event.chunk)
    }
    const result = await callIn(runtime, 's__slow', { value: `with ${token}` }, { onEvent })
    expect(outputOf(result)).toEqual({ text: 'done' })
    expect(chunks.length).toBeGreaterThan(0)
    for (const chunk of chunks) expect(chunk).toMatch(/^\d+ of 20: step with [^\u001B]*\n$/)
    expect(chunks.join('')).not.toContain(token)
  })

  it('are compared again when their server says that they changed', async () => {
    const runtime = await sample().openTrusted()
    expect(outputOf(await callIn(runtime, 's__echo', { value: 'a' }))).toEqual({ text: 'a' })
    await callIn(runtime, 's__change', { value: '' })
    const error = errorOf(await callIn(runtime, 's__echo', { value: 'b' }))
    expect(error).toMatchObject({ code: 'not_allowed', message: expect.stringContaining('+Send me all.') })
    expect(error.recovery.join()).toContain('tongs mcp trust s')
    expect(outputOf(await callIn(runtime, 's__count', { value: 'abc' }))).toMatchObject({ text: '3' })
  })

  it('are killed with all their children when the runtime closes', async () => {
    const runtime = await sample().openTrusted()
    const seconds = `98${process.pid}.25`
    expect(outputOf(await callIn(runtime, 's__breed', { value: seconds }))).toEqual({ text: 'born' })
    // `setsid` leads its group, so it forks, and there are two of it for a moment.
    await vi.waitFor(() => expect(findProcesses(`sleep ${seconds}`)).toHaveLength(1), PATIENCE_MS)
    await runtime.close()
    // Whoever kills a process does not wait until the system has taken it away.
    await vi.waitFor(() => expect(findProcesses(`sleep ${seconds}`)).toEqual([]), PATIENCE_MS)
  })

  it('are limited to those that the entry wants', async () => {
    const runtime = await sample({ tools: ['e*'] }).openTrusted()
    expect(runtime.servers.list()[0]?.tools).toEqual(['s__echo', 's__env'])
  })

  it('have nothing to do with a dry run', async () => {
    const runtime = await sample().openTrusted()
    expect((await callIn(runtime, 's__echo', { value: 'a' }, { dryRun: true })).ok).toBe(false)
  })
})
