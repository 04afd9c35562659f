import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { systemClock } from '../../../src/host/system/clock.ts'
import { repairStore } from '../../../src/journal/repair/repair-store.ts'
import { createRuntime } from '../../../src/runtime/create-runtime.ts'

/** Every file below a folder that holds these words. */
function filesWith(folder: string, words: string): readonly string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((found) => found.isFile())
    .map(({ parentPath, name }) => join(parentPath, name))
    .filter((path) => readFileSync(path).includes(words))
}

it('what a question quoted of its call is erased with the call, also from the chain', async () => {
  const top = mkdtempSync(join(realpathSync(tmpdir()), 'tongs-forget-'))
  onTestFinished(() => rmSync(top, { recursive: true, force: true }))
  const [root, stateDir] = [join(top, 'root'), join(top, 'state')]
  mkdirSync(root)
  const words = 'a-word-that-is-nowhere-else'
  const config = { 'tools.shell.ask': 'before' }
  const options = { root, stateDir, config, approve: 'later', durability: 'normal' } as const
  const runtime = await createRuntime(options)
  const call = { id: '1', name: 'run_shell', args: { cmd: ['echo', words] } }
  await runtime.run([call], { session: 's' })
  const [request] = await runtime.pending()
  expect(request?.summary).toContain(words)
  await runtime.decide([String(request?.id)], { isApproved: false })
  await runtime.close()
  expect(filesWith(stateDir, words)).not.toEqual([])
  const again = await createRuntime(options)
  await again.forget({ session: 's' })
  expect(await again.verify()).toMatchObject({ ok: true })
  await again.close()
  expect(filesWith(stateDir, words)).toEqual([])
})

it('the words of a command in the background are erased with its call, also from the chain', async () => {
  const top = mkdtempSync(join(realpathSync(tmpdir()), 'tongs-forget-'))
  onTestFinished(() => rmSync(top, { recursive: true, force: true }))
  const [root, stateDir] = [join(top, 'root'), join(top, 'state')]
  mkdirSync(root)
  const words = 'a-word-that-is-nowhere-else'
  const options = { root, stateDir, durability: 'normal' } as const
  const runtime = await createRuntime({ ...options, approve: (requests) => requests.map(() => 'once') })
  const args = { cmd: ['sh', '-c', `: ${words}; sleep 1000`], background: true }
  const [started] = await runtime.run([{ id: '1', name: 'run_shell', args }], { session: 's' })
  expect(started?.ok).toBe(true)
  await runtime.close()
  expect(filesWith(stateDir, words)).not.toEqual([])
  const again = await createRuntime(options)
  await again.forget({ session: 's' })
  expect(await again.verify()).toMatchObject({ ok: true })
  await again.close()
  expect(filesWith(stateDir, words)).toEqual([])
})

it('copies that a repair has kept are named, because nothing is erased from them', async () => {
  const top = mkdtempSync(join(realpathSync(tmpdir()), 'tongs-forget-'))
  onTestFinished(() => rmSync(top, { recursive: true, force: true }))
  const [root, stateDir] = [join(top, 'root'), join(top, 'state')]
  mkdirSync(root)
  const runtime = await createRuntime({ root, stateDir, durability: 'normal' })
  await runtime.run([{ id: '1', name: 'read_file', args: { path: 'a.txt' } }], { session: 's' })
  await runtime.close()
  const { copy } = await repairStore(stateDir, systemClock)
  const again = await createRuntime({ root, stateDir, durability: 'normal' })
  expect(await again.forget({ session: 's' })).toMatchObject({ ok: true, copies: [copy] })
  await again.close()
})

it('copies that a repair has kept go when they are older than the age limit, and those that nobody accepted stay', async () => {
  const top = mkdtempSync(join(realpathSync(tmpdir()), 'tongs-forget-'))
  onTestFinished(() => rmSync(top, { recursive: true, force: true }))
  const [root, stateDir] = [join(top, 'root'), join(top, 'state')]
  mkdirSync(root)
  const workWithin = async (days: number): Promise<void> => {
    const config = { 'journal.max_age_days': days, 'journal.max_bytes': 0 }
    const runtime = await createRuntime({ root, stateDir, durability: 'normal', config })
    await runtime.run([{ id: '1', name: 'read_file', args: { path: 'a.txt' } }], { session: 's' })
    await runtime.close()
  }
  await workWithin(0)
  const [old, young] = [
    (await repairStore(stateDir, systemClock)).copy ?? '',
    (await repairStore(stateDir, systemClock)).copy ?? '',
  ]
  const segments = join(stateDir, 'segments')
  mkdirSync(segments, { recursive: true, mode: 0o700 })
  const [accepted, damaged] = ['a.log.damaged.accepted', 'b.log.damaged'].map((name) => join(segments, name))
  for (const path of [accepted, damaged]) writeFileSync(path ?? '', 'x')
  const longAgo = Date.now() / 1000 - 40 * 86_400
  for (const path of [old, accepted, damaged]) utimesSync(path ?? '', longAgo, longAgo)
  await workWithin(30)
  expect([old, young, accepted, damaged].map((path) => existsSync(path ?? ''))).toEqual([
    false,
    true,
    false,
    true,
  ])
})
