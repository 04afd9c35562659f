import { join } from 'node:path'
import { expect, it } from 'vitest'
import { rankPaths } from '../../../src/faces/tui/input/complete.ts'
import { createPathFinder } from '../../../src/faces/tui/input/find-paths.ts'
import { loadConfiguration } from '../../../src/runtime/configure/load-configuration.ts'
import { bench } from '../../bench-folder.ts'

it('a file whose name begins with what is typed comes before letters from all over a path', () => {
  const paths = [
    'internal/constants.js',
    'functions/compare.js',
    'ranges/inc-range.js',
    'functions/inc.js',
    'bin/zinc.js',
  ]
  expect(rankPaths(paths, 'inc')).toEqual([
    expect.stringMatching(/\/inc/),
    expect.stringMatching(/\/inc/),
    'bin/zinc.js',
    expect.anything(),
    expect.anything(),
  ])
  expect(rankPaths(paths, 'functions/')).toEqual(['functions/compare.js', 'functions/inc.js'])
  expect(rankPaths(paths, '')).toBe(paths)
})

it('a search that was given up does not stand for the whole list', async () => {
  const b = bench({ 'a.txt': '', 'deep/b.txt': '' })
  const place = { root: b.root, stateDir: join(b.top, 'state') }
  const { settings } = await loadConfiguration({ ...place, env: {}, isPersonal: false })
  const find = createPathFinder(() => ({ ...place, settings }))
  const givenUp = new AbortController()
  const half = find(givenUp.signal)
  givenUp.abort()
  const whole = find(new AbortController().signal)
  await half
  expect((await whole).toSorted()).toEqual(['a.txt', 'deep/b.txt'])
  expect(find(new AbortController().signal)).toBe(whole)
})
