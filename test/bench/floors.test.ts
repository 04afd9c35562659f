import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, it } from 'vitest'
import { callLeast, openFloor, patchLeast, walkLeast } from '../../bench/floors.ts'
import { makeScratch } from '../harness/scratch.ts'

it('the least of a patch leaves every file with its new content, and a log of them', () => {
  const top = makeScratch().at('patched')
  mkdirSync(top)
  const names = ['a.txt', 'b.txt']
  for (const name of names) writeFileSync(join(top, name), 'old')
  patchLeast(top, names, 'newer')()
  expect([...names, 'log'].map((name) => readFileSync(join(top, name), 'utf8'))).toEqual([
    'newer',
    'newer',
    'newernewer',
  ])
})

it('the least of a walk sees every file and folder', () => {
  const top = makeScratch().at('walked')
  for (const name of ['x/y/a', 'x/b', 'c']) {
    mkdirSync(dirname(join(top, name)), { recursive: true })
    writeFileSync(join(top, name), '')
  }
  expect(walkLeast(top)).toBe(5)
})

it('what opening a file and a call cannot do without is said in parts', async () => {
  const top = makeScratch().at('opened')
  mkdirSync(top)
  writeFileSync(join(top, 'a'), '')
  expect(await openFloor(top, 'a')).toMatch(
    /a folder confirmed by \/proc [\d.]+, open in it, stat and close [\d.]+; together [\d.]+\. The rest is checking the path$/,
  )
  await expect(callLeast()).resolves.toBeUndefined()
})
