import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
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
