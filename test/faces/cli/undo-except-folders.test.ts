import { lstatSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import type { RevertReport } from '../../../src/pipeline/after/revert.ts'
import { useShops } from './command-line.ts'
import type { Shop } from './command-line.ts'
import { shellCall } from './land-command.ts'

const shop = useShops()

async function run(s: Shop, line: string): Promise<void> {
  const { rows } = await s.batch([shellCall(line)], '--yes')
  expect(rows[0]).toMatchObject({ ok: true })
}

async function undo(s: Shop, ...words: readonly string[]): Promise<RevertReport> {
  return JSON.parse((await s.tongs(['undo', ...words, '--json', '--yes'])).out) as RevertReport
}

it.each([
  ['file', (s: Shop) => void s.put('f', 'old\n')],
  ['link', (s: Shop) => symlinkSync('k', join(s.root, 'f'))],
])('undo --except of a file in a folder that took the place of a %s leaves the folder', async (_, make) => {
  const s = shop({ k: '1\n' })
  make(s)
  const was = lstatSync(join(s.root, 'f')).mode
  await run(s, 'rm f; mkdir f; echo x > f/x; echo y > f/y; echo 2 > k')
  expect(await undo(s, '--except', 'f/x')).toMatchObject({ ok: true })
  expect(['f/x', 'f/y', 'k'].map(s.get)).toEqual(['x\n', null, '1\n'])
  expect((await s.tongs(['recover'])).out).toContain('Nothing was interrupted')
  expect(await undo(s)).toMatchObject({ ok: true })
  expect(lstatSync(join(s.root, 'f')).mode).toBe(was)
})

it('undo --except of a file that took the place of a folder leaves what was in the folder', async () => {
  const s = shop({ 'd/a': 'a\n', k: '1\n' })
  await run(s, 'rm -r d; echo file > d; echo 2 > k')
  expect(await undo(s, '--except', 'd')).toMatchObject({ ok: true })
  expect(['d', 'k'].map(s.get)).toEqual(['file\n', '1\n'])
  expect(await undo(s)).toMatchObject({ ok: true })
  expect(s.get('d/a')).toBe('a\n')
})

it('undo changes nothing if somebody put a file into a folder that took the place of a file', async () => {
  const s = shop({ f: 'old\n', k: '1\n' })
  await run(s, 'rm f; mkdir f; echo 2 > k')
  s.put('f/theirs', 'theirs\n')
  expect(await undo(s)).toMatchObject({ ok: false })
  expect(['f/theirs', 'k'].map(s.get)).toEqual(['theirs\n', '2\n'])
  expect((await s.tongs(['recover'])).out).toContain('Nothing was interrupted')
})
