import { chmodSync, statSync } from 'node:fs'
import { expect, it } from 'vitest'
import { failure } from '../../../src/core/error.ts'
import { reachOwn } from '../../../src/host/root/open-own.ts'
import { openRoot } from '../../../src/host/root/open-root.ts'
import type { Root } from '../../../src/host/root/root.ts'
import { cleanUpWith } from '../../harness/clean-up.ts'
import { makeScratch } from '../../harness/scratch.ts'

const SHUT = 0o200

const deny = (): never => {
  throw failure('execution_failed', 'Cannot open it: permission denied.', { errno: 'EACCES' })
}

/** Two folders in each other that are closed to their owner. */
function shutFolders() {
  const scratch = makeScratch()
  scratch.folder('root/outer/inner')
  const root = openRoot(scratch.at('root'))
  const folders = ['root/outer', 'root/outer/inner'].map((name) => scratch.at(name))
  for (const folder of folders.toReversed()) chmodSync(folder, SHUT)
  cleanUpWith(() => {
    root.close()
    for (const folder of folders) chmodSync(folder, 0o700)
  })
  const modeOf = (at: number): number => {
    chmodSync(folders[0] ?? '', statSync(folders[0] ?? '').mode | (at === 0 ? 0 : 0o100))
    return statSync(folders[at] ?? '').mode & 0o777
  }
  return { root, modeOf }
}

it('folders that are closed to their owner are opened for the time of use', () => {
  const { root, modeOf } = shutFolders()
  let tries = 0
  expect(reachOwn({ root, rel: 'outer/inner/f' }, () => (tries++ === 0 ? deny() : 'reached'))).toBe('reached')
  expect([modeOf(0), modeOf(1)]).toEqual([SHUT, SHUT])
})

it('a folder is closed again if the next one cannot be opened', () => {
  const { root, modeOf } = shutFolders()
  const odd: Root = { ...root, stat: (path) => (path === 'outer/inner' ? deny() : root.stat(path)) }
  expect(() => reachOwn({ root: odd, rel: 'outer/inner/f' }, deny)).toThrow()
  expect(modeOf(0)).toBe(SHUT)
})

it('a folder is closed again though the one in it cannot be', () => {
  const { root, modeOf } = shutFolders()
  let lent = 0
  const lendFolder: Root['lendFolder'] = (path, use) =>
    path === 'outer/inner' && lent++ > 0 ? deny() : root.lendFolder(path, use)
  let tries = 0
  const use = (): string => (tries++ === 0 ? deny() : 'reached')
  expect(() => reachOwn({ root: { ...root, lendFolder }, rel: 'outer/inner/f' }, use)).toThrow()
  expect(modeOf(0)).toBe(SHUT)
})
