import { chmodSync, statSync } from 'node:fs'
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
