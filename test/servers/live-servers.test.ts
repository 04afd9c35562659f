import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { showServer } from '../../src/config/edit-servers.ts'
import { agreeOnce } from '../../src/core/approval.ts'
import { loadConfiguration } from '../../src/runtime/configure/load-configuration.ts'
import { createRuntime } from '../../src/runtime/create-runtime.ts'
import { scripted, talkWith } from '../agent/talk.ts'
import type { ModelRequest } from '../../src/model/model-client.ts'
import { bench, errorOf, outputOf } from '../bench-folder.ts'
import { cleanUpWith } from '../harness/clean-up.ts'
import { callIn, programEntry, serverBench } from './server-bench.ts'
import type { ProgramEntry } from './server-bench.ts'

/** A runtime whose servers are those of a file, which a test rewrites. */
async function openWithFile() {
  const made = bench()
  const { root, stateDir, top } = made
  const configFile = join(top, 'config.toml')
  const write = (servers: Readonly<Record<string, ProgramEntry>>): void => {
    const entries = Object.entries(servers).map(([name, entry]) => showServer(name, { ...entry }))
    writeFileSync(configFile, `${entries.join('\n\n')}\n`)
  }
  const open = async () => {
    const loaded = await loadConfiguration({ root, stateDir, env: {}, isPersonal: false, configFile })
    const runtime = await createRuntime({ root, stateDir, loaded, approve: agreeOnce, durability: 'memory' })
    cleanUpWith(() => runtime.close())
    return runtime
  }
  write({})
  return { ...made, write, open, runtime: await open() }
}

const SAMPLE = programEntry('sample-server.ts', [])

describe('MCP servers while a runtime is open', () => {
  it('come and go with the configuration and with trust', async () => {
    const { runtime, write } = await openWithFile()
    const { servers } = runtime
    const names = () => runtime.definitions().map(({ name }) => name)
    let changes = 0
    servers.follow(() => void (changes += 1))
    write({ s: SAMPLE })
    await servers.look()
    expect(servers.list()).toMatchObject([{ name: 's', state: 'untrusted' }])
    expect(errorOf(await callIn(runtime, 's__echo', { value: 'a' })).recovery).toContainEqual(
      expect.stringContaining('tongs mcp trust s'),
    )
    servers.trust(await servers.inspect('s'))
    await servers.look()
    expect(names()).toContain('s__echo')
    expect(outputOf(await callIn(runtime, 's__echo', { value: 'b' }))).toEqual({ text: 'b' })
    await servers.look()
    expect(changes).toBe(2)
    write({})
    await servers.look()
    expect(names()).not.toContain('s__echo')
    expect(errorOf(await callIn(runtime, 's__echo', { value: 'c' })).code).toBe('unknown_tool')
    expect(changes).toBe(3)
  })

  it('are started anew for another entry, and stay as they are for the same one', async () => {
    const { runtime, write } = await openWithFile()
    const { servers } = runtime
    write({ s: SAMPLE })
    await servers.look()
    servers.trust(await servers.inspect('s'))
    await servers.look()
    const born = async () => outputOf(await callIn(runtime, 's__born', { at: performance.now() }))
    const first = await born()
    write({ s: SAMPLE, t: SAMPLE })
    await servers.look()
    expect(await born()).toEqual(first)
    write({ s: { ...SAMPLE, args: [...SAMPLE.args, 'more'] } })
    await servers.look()
    expect(await born()).not.toEqual(first)
  })

  it('stay as they are while the configuration cannot be read', async () => {
    const { runtime, write, top } = await openWithFile()
    write({ s: SAMPLE })
    await runtime.servers.look()
    writeFileSync(join(top, 'config.toml'), '[mcp.servers.s\n')
    await runtime.servers.look()
    expect(runtime.servers.list()).toMatchObject([{ name: 's' }])
  })

  it('are left to the next start if a command could already be changing their program', async () => {
    const { runtime, write, open, put } = await openWithFile()
    const program = put('server.sh', '#!/bin/sh\n')
    chmodSync(program, 0o755)
    write({ inside: { command: program, args: [], read: [] }, s: SAMPLE })
    await runtime.servers.look()
    expect(runtime.servers.list().map(({ name }) => name)).toEqual(['s'])
    expect((await open()).servers.list().map(({ name }) => name)).toEqual(['inside', 's'])
  })

  it('are told to the model of a conversation from its next turn on', async () => {
    const made = serverBench(SAMPLE)
    const requests: ModelRequest[] = []
    const { say } = await talkWith(
      scripted([{ text: 'one' }, { text: 'two' }], requests),
      { in: made },
      requests,
    )
    await say('Hello')
    const other = await made.open()
    other.servers.trust(await other.servers.inspect('s'))
    await say('And now?')
    const told = requests.map(({ tools }) => tools.some(({ name }) => name === 's__echo'))
    expect(told).toEqual([false, true])
  })
})
