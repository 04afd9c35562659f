import { chmodSync, existsSync, mkdirSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import type { RevertReport } from '../../../src/pipeline/after/revert.ts'
import { useShops } from './command-line.ts'
import { shellCall } from './land-command.ts'

const shop = useShops()

it('undo lists a name with line breaks in one line, also where it was changed since', async () => {
  const name = 'm\nwill be removed: passwd'
  const s = shop({ [name]: '1\n' })
  await s.batch([shellCall('chmod 600 m*')], '--yes')
  const quoted = JSON.stringify(name)
  const listed = await s.tongs(['undo', '--dry-run'])
  expect(listed.out).toBe(`would be restored: ${quoted}\n`)
  s.put(name, '2\n')
  const refused = await s.tongs(['undo', '--dry-run'])
  expect(refused.err).toContain(`Changed since: ${quoted}.`)
})

it('undo and redo list the folders that go and come with the files; one with something else in it stays', async () => {
  const s = shop()
  await s.batch([shellCall('mkdir -p out/deep; echo 1 > out/deep/a')], '--yes')
  expect((await s.tongs(['undo', '--dry-run'])).out.split('\n').toSorted()).toEqual([
    '',
    'would be removed if empty: out/',
    'would be removed if empty: out/deep/',
    'would be removed: out/deep/a',
  ])
  s.put('out/mine', 'mine\n')
  expect((await s.tongs(['undo', '--yes'])).code).toBe(0)
  expect([existsSync(join(s.root, 'out/deep')), s.get('out/mine')]).toEqual([false, 'mine\n'])
  const redo = JSON.parse((await s.tongs(['redo', '--dry-run', '--json'])).out) as RevertReport
  expect(redo.folders).toContainEqual({ path: 'out/deep', action: 'recreated' })
})

it.each([
  ['a file that a command moved', 'g', 0o600, shellCall('mv f g')],
  ['a file that a tool moved', 'g', 0o600, { id: 'm', name: 'move_path', args: { from: 'f', to: 'g' } }],
  ['a folder that a command moved', 'e', 0o700, shellCall('mv d e')],
  ['a folder in one that a command moved', 'e/in', 0o700, shellCall('mv d e')],
] as const)('undo does not reverse a mode that somebody gave since to %s', async (_, path, mode, call) => {
  const s = shop({ f: 'f\n', 'd/in/a': 'a\n' })
  const reading = { id: 'r', name: 'read_file', args: { path: 'f' } }
  const done = await s.batch([reading, call], '--yes')
  expect(done.rows.map(({ ok }) => ok)).toEqual([true, true])
  const place = join(s.root, path)
  const was = statSync(place).mode & 0o7777
  chmodSync(place, mode)
  const undo = async () => JSON.parse((await s.tongs(['undo', '--json', '--yes'])).out) as RevertReport
  expect(await undo()).toMatchObject({ ok: false, drifted: [path] })
  expect(statSync(place).mode & 0o7777).toBe(mode)
  chmodSync(place, was)
  expect(await undo()).toMatchObject({ ok: true })
  expect([s.get('f'), s.get('d/in/a')]).toEqual(['f\n', 'a\n'])
})

it.each([
  ['folders that a command exchanged', 'mv d t; mv e d; mv t e', 'e/x', 'd'],
  ['a folder that a command moved another one into', 'mv e d/in; mv d/x x', 'x', 'd'],
  ['a folder that a command emptied', 'mv d/x x', 'x', 'd'],
] as const)('undo changes nothing if somebody removed one of %s', async (_, script, moved, gone) => {
  const s = shop({ 'd/x': 'kept\n' })
  mkdirSync(join(s.root, 'e/in'), { recursive: true })
  await s.batch([shellCall(script)], '--yes')
  expect(s.get(moved)).toBe('kept\n')
  rmSync(join(s.root, gone), { recursive: true })
  const undo = async () => JSON.parse((await s.tongs(['undo', '--json', '--yes'])).out) as RevertReport
  expect(await undo()).toMatchObject({ ok: false, drifted: ['d/x'] })
  expect(s.get(moved)).toBe('kept\n')
  mkdirSync(join(s.root, gone))
  expect(await undo()).toMatchObject({ ok: true })
  expect(s.get('d/x')).toBe('kept\n')
})
