import { expect, it } from 'vitest'
import { useShops } from './command-line.ts'
import { shellCall } from './land-command.ts'

const shop = useShops()

it('a redo that cannot be done names nothing as done, no folder either', async () => {
  const s = shop({ 'a.txt': 'one\n' })
  await s.batch([shellCall('echo two > a.txt; mkdir d; echo x > d/x')], '--yes')
  expect((await s.tongs(['undo', '--yes'])).code).toBe(0)
  expect((await s.tongs(['forget', 'cli', '--yes'])).code).toBe(0)
  const { code, out, err } = await s.tongs(['redo', '--yes'])
  expect([code, out, err]).toEqual([1, '', expect.stringContaining('so it cannot be restored')])
  const { ok, files, folders } = JSON.parse((await s.tongs(['redo', '--yes', '--json'])).out) as {
    ok: boolean
    files: unknown[]
    folders?: unknown
  }
  expect({ ok, files, folders }).toEqual({ ok: false, files: [], folders: undefined })
  expect([s.get('a.txt'), s.get('d/x')]).toEqual(['one\n', null])
})
