import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { isJsonObject } from '../../../src/core/json/value.ts'
import type { JsonObject } from '../../../src/core/json/value.ts'
import { waitFor } from '../../../src/core/wait.ts'
import { createRuntime } from '../../../src/runtime/create-runtime.ts'
import { codeOf, connectStreams, openServed, resultOf } from './open-client.ts'

const EDITS = { 'tools.approval.approved_effects': ['edit'], 'tools.session_wait_seconds': 60 }

it('a person undoes what a client did while that is connected, and the client goes on', async () => {
  const served = await openServed({ config: EDITS })
  const { root, stateDir } = served
  writeFileSync(join(root, 'a.txt'), 'alpha\n')
  const { call } = await connectStreams(served, '2026-07-28')
  expect(codeOf(await call('read_file', { path: 'a.txt' }))).toBe('ok')
  expect(codeOf(await call('write_file', { path: 'b.txt', content: 'beta\n' }))).toBe('ok')
  const person = await createRuntime({ root, stateDir, config: EDITS, durability: 'normal' })
  try {
    expect(await person.undo()).toMatchObject({ ok: true, files: [{ path: 'b.txt', action: 'removed' }] })
  } finally {
    await person.close()
  }
  expect(existsSync(join(root, 'b.txt'))).toBe(false)
  const edit = { path: 'a.txt', old: 'alpha', new: 'gamma' }
  expect(codeOf(await call('edit_file', edit)), 'what was read before is still known').toBe('ok')
  expect(readFileSync(join(root, 'a.txt'), 'utf8')).toBe('gamma\n')
  expect(served.runtime.sessions()).toHaveLength(1)
})

it('a client is given the result of its own call, not that of one which the runtime made first', async () => {
  const rules = [{ tool: 'list_files', type: 'StartConstraint' }]
  const served = await openServed({ config: { 'tools.rules': rules } })
  writeFileSync(join(served.root, 'a.txt'), 'alpha\n')
  const { call } = await connectStreams(served, '2026-07-28')
  const read = () => call('read_file', { path: 'a.txt' })
  const given = [await read(), await read(), await read()]
  expect(given.map(codeOf)).toEqual(['rule_violation', 'rule_violation', 'ok'])
  expect(resultOf(given[2] ?? { content: [] })).toMatchObject({ name: 'read_file', ok: true })
})

it('a command in the background of a client that rests goes on, and what it printed last can be read', async () => {
  const config = { 'tools.session_wait_seconds': 60, 'tools.shell.passthrough': ['live'] }
  const served = await openServed({ config, approve: (requests) => requests.map(() => 'once') })
  const { root, stateDir, runtime } = served
  mkdirSync(join(root, 'live'))
  const { call } = await connectStreams(served, '2026-07-28')
  const cmd = ['sh', '-c', 'echo ready; until [ -e live/stop.txt ]; do sleep 0.05; done; echo last words']
  const { handle } = structuredOf(await call('run_shell', { cmd, background: true }))
  const states = () => runtime.background().map(({ state }) => state)
  // Far longer than the rest after which a session without such a command is let go of.
  await waitFor(1_000)
  expect(states()).toEqual(['running'])
  writeFileSync(join(root, 'live/stop.txt'), '')
  await expect.poll(states, { timeout: 20_000 }).toEqual(['ended'])
  const person = await createRuntime({ root, stateDir, config, durability: 'normal' })
  const claim = () => person.claim(runtime.sessions()[0]?.name ?? '')
  await expect.poll(() => claim().then(() => 'claimed', String), { timeout: 20_000 }).toBe('claimed')
  await person.close()
  const read = structuredOf(await call('run_shell', { handle: String(handle) }))
  expect(read).toMatchObject({ state: 'ended', exit_code: 0, stdout: expect.stringContaining('last words') })
})

function structuredOf({ structuredContent }: { readonly structuredContent?: unknown }): JsonObject {
  if (!isJsonObject(structuredContent)) throw new Error('there is no structured content')
  return structuredContent
}
