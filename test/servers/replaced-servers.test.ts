import { mkdirSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { agreeOnce } from '../../src/core/approval.ts'
import type { Approver } from '../../src/core/approval.ts'
import type { LiveEvent } from '../../src/pipeline/engine.ts'
import { errorOf, outputOf } from '../bench-folder.ts'
import { callIn, programEntry, serverBench } from './server-bench.ts'

/** Saves a file as editors do: under another name, then renamed. */
function save(path: string, text: string): void {
  writeFileSync(`${path}.new`, text)
  renameSync(`${path}.new`, path)
}

/** A bench whose server sees the root, and a folder that it may write. */
function seeingBench() {
  const { top } = serverBench(programEntry('sample-server.ts', []))
  const writable = join(top, 'writable')
  mkdirSync(writable)
  const entry = programEntry('sample-server.ts', [])
  const made = serverBench({ ...entry, read: [...entry.read, '.'], write: [writable] })
  return { ...made, writable }
}

describe('a running MCP server', () => {
  it('does not read a denied file that was saved or created after its start', async () => {
    const { put, openTrusted, writable } = seeingBench()
    const masked = put('.env', 'KEY=OLD')
    const runtime = await openTrusted()
    const read = async (path: string) => errorOf(await callIn(runtime, 's__read', { value: path })).message
    expect(await read(masked)).toMatch(/EACCES|ENOENT/)
    save(masked, 'KEY=NEW')
    expect(await read(masked)).toMatch(/EACCES|ENOENT/)
    expect(await read(put('id_rsa', 'LATE'))).toMatch(/EACCES|ENOENT/)
    const late = join(writable, '.env')
    writeFileSync(late, 'KEY=LATE')
    expect(await read(late)).toMatch(/EACCES|ENOENT/)
    const shown = put('a.txt', 'hello')
    expect(outputOf(await callIn(runtime, 's__read', { value: shown }))).toEqual({ text: 'hello' })
  })

  it('goes on as long as no denied file came, and is not ended under a call', async () => {
    const { put, openTrusted } = seeingBench()
    const runtime = await openTrusted()
    const before = outputOf(await callIn(runtime, 's__born', { n: 1 }))
    put('a.txt', 'hello')
    expect(outputOf(await callIn(runtime, 's__born', { n: 2 }))).toEqual(before)
    const { promise: underWay, resolve } = Promise.withResolvers<void>()
    const onEvent = ({ event }: LiveEvent): void => (event === 'output' ? resolve() : undefined)
    const slow = callIn(runtime, 's__slow', { value: '' }, { session: 'one', onEvent })
    await underWay
    put('server.pem', 'KEY')
    const after = outputOf(await callIn(runtime, 's__born', { n: 4 }, { session: 'two' }))
    expect(after).not.toEqual(before)
    expect(errorOf(await slow).message).toMatch(/server\.pem/)
  })
})

describe('a tool that was replaced', () => {
  const first = programEntry('sample-server.ts', [])
  const others = [
    ['another argument', programEntry('sample-server.ts', ['--more'])],
    ['network', programEntry('sample-server.ts', [], { network: true })],
    ['another variable', programEntry('sample-server.ts', [], { env: { MORE: '1' } })],
  ] as const

  it.each(others)('is not run by a yes to what was there before: %s', async (_what, other) => {
    const made = serverBench(first)
    const waiting = await made.openTrusted({ durability: 'normal', approve: 'later' })
    await callIn(waiting, 's__echo', { value: 'a' }, { session: 'q' })
    await waiting.close()
    const replaced = await made.open({
      durability: 'normal',
      approve: 'later',
      config: { 'mcp.servers': { s: other } },
    })
    const { results } = await replaced.decide('all', { session: 'q', isApproved: true })
    expect(results.map(({ ok }) => ok)).toEqual([false])
  })

  it('is told from the same tool, which a yes does run', async () => {
    const made = serverBench(first)
    const waiting = await made.openTrusted({ durability: 'normal', approve: 'later' })
    await callIn(waiting, 's__echo', { value: 'a' }, { session: 'q' })
    await waiting.close()
    const same = await made.open({ durability: 'normal', approve: 'later' })
    const { results } = await same.decide('all', { session: 'q', isApproved: true })
    expect(results.map(({ ok }) => ok)).toEqual([true])
  })

  it('is asked about although a grant covered what was there before', async () => {
    let asked = 0
    const grant: Approver = (requests) => {
      asked += 1
      return requests.map(() => ({ answer: 'scope', scope: { kind: 'tool' } }))
    }
    const made = serverBench(first)
    const granting = await made.openTrusted({ durability: 'normal', approve: grant })
    for (const value of ['a', 'b'])
      expect(outputOf(await callIn(granting, 's__echo', { value }))).toEqual({ text: value })
    expect(asked).toBe(1)
    await granting.close()
    const same = await made.open({ durability: 'normal', approve: () => ['deny'] })
    expect(outputOf(await callIn(same, 's__echo', { value: 'c' }))).toEqual({ text: 'c' })
    await same.close()
    for (const [, other] of others) {
      const replaced = await made.open({
        durability: 'normal',
        approve: () => ['deny'],
        config: { 'mcp.servers': { s: other } },
      })
      expect(errorOf(await callIn(replaced, 's__echo', { value: 'd' })).code).toBe('approval_denied')
      await replaced.close()
    }
    const trusting = await made.open({ durability: 'normal' })
    const inspection = await trusting.servers.inspect('s')
    const definitions = inspection.definitions.map((one) => ({
      ...one,
      description: one.description.replace('Says it again.', 'Says more.'),
    }))
    trusting.servers.trust({ ...inspection, definitions })
    await trusting.close()
    const described = await made.open({ durability: 'normal', approve: () => ['deny'] })
    expect(errorOf(await callIn(described, 's__echo', { value: 'e' })).code).toBe('approval_denied')
  })
})

describe('a dry run', () => {
  it.each(['read', 'external'])('starts no server, whatever its entry says: %s', async (effect) => {
    const made = serverBench(programEntry('sample-server.ts', [], { effect }))
    const { command } = programEntry('sample-server.ts', [])
    await (await made.openTrusted()).close()
    // It would fail to start, with other words.
    const broken = { command, args: ['/nowhere.js'], effect }
    const runtime = await made.open({ approve: agreeOnce, config: { 'mcp.servers': { s: broken } } })
    const error = errorOf(await callIn(runtime, 's__echo', { value: 'a' }, { dryRun: true }))
    expect(error).toMatchObject({
      code: 'not_allowed',
      message: expect.stringContaining('Nothing was started'),
    })
    expect(runtime.servers.list()).toMatchObject([{ lastError: null }])
  })
})

describe('what confines a server', () => {
  const sample = programEntry('sample-server.ts', [])
  const cases = [
    [{ 'tools.shell.sandbox': 'none' }, 'UNSANDBOXED'],
    [
      { 'tools.shell.sandbox': 'external', 'tools.shell.external_label': 'a virtual machine' },
      'confined from outside: a virtual machine',
    ],
  ] as const

  it.each(cases)('is said by the question, the result and the list: %j', async (config, label) => {
    const levels: (string | null)[] = []
    const approve: Approver = (requests) => {
      levels.push(...requests.map(({ rung }) => rung))
      return requests.map(() => 'once' as const)
    }
    const all = { ...config, 'mcp.servers': { s: sample } }
    const runtime = await serverBench(sample).openTrusted({ approve, config: all })
    const result = await callIn(runtime, 's__echo', { value: 'a' })
    expect(levels).toEqual([label])
    expect(outputOf(result)).toEqual({ text: 'a', sandbox: label })
    expect(result.content).toContain(label)
    expect(runtime.servers.list()).toMatchObject([{ sandbox: label }])
  })

  it('is the command sandbox, of which the result says nothing', async () => {
    const runtime = await serverBench(sample).openTrusted()
    expect(outputOf(await callIn(runtime, 's__echo', { value: 'a' }))).toEqual({ text: 'a' })
    expect(runtime.servers.list()).toMatchObject([{ sandbox: 'the command sandbox' }])
  })
})
