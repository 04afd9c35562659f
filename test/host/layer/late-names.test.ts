import { mkdirSync, rmSync, symlinkSync } from 'node:fs'
import { expect, it } from 'vitest'
import { failure } from '../../../src/core/error.ts'
import { LateNames } from '../../../src/host/layer/enter/late-names.ts'
import { openRoot } from '../../../src/host/root/open-root.ts'
import type { Root } from '../../../src/host/root/root.ts'
import { cleanUpWith } from '../../harness/clean-up.ts'
import { makeScratch } from '../../harness/scratch.ts'

/** A workspace with two folders that were looked at. */
function lookAt() {
  const scratch = makeScratch()
  for (const name of ['d', 'd/in']) scratch.folder(`root/${name}`)
  const root = openRoot(scratch.at('root'))
  cleanUpWith(() => root.close())
  const late = new LateNames((path) => path.endsWith('.env'))
  for (const folder of ['', 'd', 'd/in']) {
    const stat = root.stat(folder)
    if (stat !== null) late.noteFolder(folder, stat)
  }
  return { scratch, root, late }
}

const refuse = (): never => {
  throw failure('execution_failed', 'Cannot list it: permission denied.', { errno: 'EACCES' })
}

it('a hidden name that came is found, and nothing in folders that are gone or became links', () => {
  const { scratch, root, late } = lookAt()
  expect(late.find(root)).toBeNull()
  rmSync(scratch.at('root/d/in'), { recursive: true })
  expect(late.find(root)).toBeNull()
  rmSync(scratch.at('root/d'), { recursive: true })
  symlinkSync('..', scratch.at('root/d'))
  expect(late.find(root)).toBeNull()
  scratch.file('root/new/.env')
  expect(late.find(root)).toBe('new/.env')
})

it('a folder that changed and cannot be listed, or looked at, counts as one with such a name', () => {
  const { scratch, root, late } = lookAt()
  mkdirSync(scratch.at('root/d/in/new'))
  const unlisted: Root = { ...root, list: (path) => (path === 'd/in/new' ? refuse() : root.list(path)) }
  expect(late.find(unlisted)).toBe('d/in/new')
  const unseen: Root = { ...root, stat: (path) => (path === 'd/in' ? refuse() : root.stat(path)) }
  expect(late.find(unseen)).toBe('d/in')
  expect(late.find(root)).toBeNull()
})
