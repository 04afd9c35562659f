import { chmodSync, chownSync, lchownSync, mkdirSync, writeFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { findRoot } from '../../../src/host/fs/folders.ts'
import { NOBODY, runOrdinary } from '../../harness/ordinary-user.ts'
import { makeScratch } from '../../harness/scratch.ts'

const isRoot = process.getuid?.() === 0
const OTHER = 12_345

describe('the root of a command', () => {
  it('is the nearest folder with a repository of the user, a folder or a file', () => {
    const scratch = makeScratch()
    scratch.folder('a/.git')
    const below = scratch.folder('a/b/c')
    expect(findRoot(below)).toBe(scratch.at('a'))
    writeFileSync(scratch.at('a', 'b', '.git'), 'gitdir: elsewhere\n')
    expect(findRoot(below)).toBe(scratch.at('a', 'b'))
  })

  it('is never widened by a link that leads nowhere', () => {
    const scratch = makeScratch()
    scratch.folder('a/.git')
    scratch.link('a/b/.git', 'nowhere')
    expect(findRoot(scratch.folder('a/b/c'))).toBe(scratch.at('a'))
  })

  it('is not a folder that everyone can write to, unless its repository is the own one', () => {
    const scratch = makeScratch()
    const shared = scratch.folder('shared')
    chmodSync(shared, 0o1777)
    scratch.folder('shared/.git')
    const start = scratch.folder('shared/mine')
    expect(findRoot(start)).toBe(shared)
    expect(findRoot(start, OTHER)).not.toBe(shared)
    chmodSync(shared, 0o755)
    expect(findRoot(start, OTHER)).toBe(shared)
  })

  it.each([
    ['a stranger, with the start of the user', OTHER, 0, false],
    ['a stranger, with the start of a third', OTHER, OTHER + 1, false],
    ['the owner of the start', OTHER, OTHER, true],
    ['the user', 0, OTHER, true],
  ])('may be a folder whose repository belongs to %s: %i, %i, %s', (_, git, start, counts) => {
    // Only root can make files of others.
    for (const kind of isRoot ? ['folder', 'file', 'link'] : []) {
      const scratch = makeScratch()
      const top = scratch.folder('top')
      scratch.folder('real')
      if (kind === 'folder') mkdirSync(scratch.at('top', '.git'))
      else if (kind === 'file') scratch.file('top/.git', 'gitdir: ../real')
      else scratch.link('top/.git', '../real')
      lchownSync(scratch.at('top', '.git'), git, git)
      const from = scratch.folder('top/start')
      chownSync(from, start, start)
      expect(findRoot(from) === top, kind).toBe(counts)
    }
  })

  it('is found by the same rule for an ordinary user', () => {
    const scratch = makeScratch()
    chmodSync(scratch.path, 0o1777)
    scratch.folder('.git')
    const mine = scratch.folder('mine')
    scratch.folder('mine/.git')
    const deep = scratch.folder('mine/deep')
    const bare = scratch.folder('bare')
    if (isRoot)
      for (const path of [mine, scratch.at('mine', '.git'), deep, bare]) chownSync(path, NOBODY, NOBODY)
    const found = runOrdinary(new URL('find-root-child.ts', import.meta.url), deep, bare)
    // Who is an ordinary user already owns all of it.
    expect(found).toEqual([mine, isRoot ? bare : scratch.path])
  })
})
