import { readFileSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { FASTEST, makeScratch } from '../../harness/scratch.ts'
import { outcomes } from '../../pipeline/sample-tools.ts'
import { makeShop } from './command-line.ts'
import { shellCall } from './land-command.ts'

it('a command under another state folder leaves what landed and what waits to land alone', async () => {
  const shop = makeShop({ f: 'v1\n', g: 'w1\n' })
  onTestFinished(shop.remove)
  // On another file system than the root, so that both have their layers beside it.
  const states = makeScratch(FASTEST)
  const mine = { TONGS_STATE_DIR: states.folder('mine') }
  const others = { TONGS_STATE_DIR: states.folder('others') }
  const run = (words: readonly string[], line: string, env = mine) =>
    shop.tongs(['batch', '-', '--json', '--no-input', ...words], {
      env,
      stdin: JSON.stringify([shellCall(line)]),
    })
  expect(outcomes((await run(['--yes'], 'echo v2 > f')).rows)).toEqual(['ok'])
  expect((await run([], 'echo w2 > g')).code).toBe(4)
  expect(outcomes((await run(['--yes'], 'echo > of-others', others)).rows)).toEqual(['ok'])
  const approved = await shop.tongs(['approve', 'all', '--json'], { env: mine })
  expect(outcomes(approved.rows)).toEqual(['ok'])
  for (const at of ['g', 'f']) {
    const undone = await shop.tongs(['undo', '--yes', '--json', '--session', 'cli'], { env: mine })
    expect(undone.code, `${at}: ${undone.out}${undone.err}`).toBe(0)
  }
  expect(['f', 'g'].map((name) => readFileSync(join(shop.root, name), 'utf8'))).toEqual(['v1\n', 'w1\n'])
})

it('what landed and what waits to land is found when the folder for layers has become another one', async () => {
  const shop = makeShop({ f: 'v1\n', g: 'w1\n' })
  onTestFinished(shop.remove)
  const states = makeScratch(FASTEST)
  const env = { TONGS_STATE_DIR: states.folder('state') }
  const elsewhere = ['--set', `tools.shell.layer_dir=${join(shop.root, '../layers')}`]
  const run = (words: readonly string[], line: string) =>
    shop.tongs(['batch', '-', '--json', '--no-input', ...words], {
      env,
      stdin: JSON.stringify([shellCall(line)]),
    })
  expect(outcomes((await run(['--yes', ...elsewhere], 'echo v2 > f')).rows)).toEqual(['ok'])
  expect((await run([], 'echo w2 > g')).code).toBe(4)
  const moved = `${shop.root}-moved`
  renameSync(shop.root, moved)
  const there = ['--root', moved]
  expect((await shop.tongs(['adopt', shop.root, '--yes', ...there], { env, cwd: moved })).code).toBe(0)
  const approved = await shop.tongs(['approve', 'all', '--json', ...there], { env, cwd: moved })
  expect(outcomes(approved.rows)).toEqual(['ok'])
  const undone = await shop.tongs(['undo', '--last', '2', '--yes', '--session', 'cli', ...there], {
    env,
    cwd: moved,
  })
  expect(undone.code, `${undone.out}${undone.err}`).toBe(0)
  expect(['f', 'g'].map((name) => readFileSync(join(moved, name), 'utf8'))).toEqual(['v1\n', 'w1\n'])
})
