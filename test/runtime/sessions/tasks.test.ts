import { readdirSync, rmSync } from 'node:fs'
import { expect, it } from 'vitest'
import { stateFiles } from '../../../src/journal/store/state-files.ts'
import { createRuntime } from '../../../src/runtime/create-runtime.ts'
import { makeScratch } from '../../harness/scratch.ts'

const item = (title: string) => ({ id: '1', name: 'todo_write', args: { action: 'create', title } })

it('tasks are listed without opening a session, so that many sessions and busy ones do not matter', async () => {
  const scratch = makeScratch()
  const options = { root: scratch.folder('root'), stateDir: scratch.at('state') }
  const owner = await createRuntime(options)
  expect(await owner.run([item('one')], { session: 'a' })).toMatchObject([{ ok: true }])
  expect(await owner.run([item('two')], { session: 'b' })).toMatchObject([{ ok: true }])
  const { locks } = stateFiles(options.stateDir)
  const reader = await createRuntime({ ...options, config: { 'tools.session_wait_seconds': 0 } })
  const before = readdirSync(locks)
  expect((await reader.tasks()).map(({ session, title }) => [session, title])).toEqual([
    ['a', 'one'],
    ['b', 'two'],
  ])
  expect(await reader.tasks({ session: 'b' })).toHaveLength(1)
  expect(await reader.tasks({ session: 'nothing' })).toEqual([])
  expect(readdirSync(locks)).toEqual(before)
  await reader.close()
  await owner.close()
  rmSync(locks, { recursive: true })
  const later = await createRuntime(options)
  expect(await later.tasks()).toHaveLength(2)
  expect(readdirSync(locks)).toEqual([])
  await later.close()
})
