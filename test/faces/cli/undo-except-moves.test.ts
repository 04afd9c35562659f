import { expect, it } from 'vitest'
import type { RevertReport } from '../../../src/pipeline/after/revert.ts'
import { useShops } from './command-line.ts'
import type { Shop } from './command-line.ts'
import { shellCall } from './land-command.ts'

const shop = useShops()

async function undo(s: Shop, ...words: readonly string[]): Promise<RevertReport> {
  return JSON.parse((await s.tongs(['undo', ...words, '--json', '--yes'])).out) as RevertReport
}

const move = (from: string, to: string) => ({ id: 'm', name: 'move_path', args: { from, to } })

it.each([
  ['the tool', [move('d/a', 'b'), { id: 'w', name: 'write_file', args: { path: 'k', content: '2\n' } }], 'b'],
  ['a command', [shellCall('mv d/a b; echo 2 > k')], 'b'],
  ['a command that moves the folder', [shellCall('mv d e; echo 2 > k')], 'e/a'],
])(
  'undo --except of the old name of a file that was moved by %s leaves it under the new one',
  async (_, calls, target) => {
    const s = shop({ 'd/a': 'precious\n', 'd/z': 'z\n', k: '1\n' })
    await s.batch([{ id: 'r', name: 'read_file', args: { path: 'k' } }])
    await s.batch(calls, '--yes')
    expect([s.get('d/a'), s.get(target), s.get('k')]).toEqual([null, 'precious\n', '2\n'])
    const words = calls.length === 1 ? [] : ['--last', '2']
    expect(await undo(s, ...words, '--except', 'd/a')).toMatchObject({ ok: true })
    expect([s.get('d/a'), s.get('d/z'), s.get(target), s.get('k')]).toEqual([
      null,
      'z\n',
      'precious\n',
      '1\n',
    ])
    expect(await undo(s)).toMatchObject({ ok: true })
    expect([s.get('d/a'), s.get('d/z'), s.get(target)]).toEqual(['precious\n', 'z\n', null])
  },
)

it('undo --except of the new name brings the old one back beside it', async () => {
  const s = shop({ a: 'precious\n', k: '1\n' })
  await s.batch([shellCall('mv a b; echo 2 > k')], '--yes')
  expect(await undo(s, '--except', 'b')).toMatchObject({ ok: true })
  expect(['a', 'b', 'k'].map(s.get)).toEqual(['precious\n', 'precious\n', '1\n'])
})

it('undo --except of an empty file that was deleted leaves no other empty file', async () => {
  const s = shop({ a: '', k: '1\n' })
  await s.batch([shellCall('rm a; : > b; echo 2 > k')], '--yes')
  expect(await undo(s, '--except', 'a')).toMatchObject({ ok: true })
  expect(['a', 'b', 'k'].map(s.get)).toEqual([null, null, '1\n'])
})
