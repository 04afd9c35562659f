import { chmodSync, chownSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { findLooseFolder } from '../../../src/host/fs/loose-folders.ts'
import { NOBODY } from '../../harness/ordinary-user.ts'
import { makeScratch } from '../../harness/scratch.ts'

const isRoot = process.getuid?.() === 0

describe('a folder in which others can exchange what is there', () => {
  const MODES: [mode: number, isLoose: boolean][] = [
    [0o755, false],
    [0o777, true],
    [0o757, true],
    [0o1777, false],
    [0o775, false],
  ]
  it.for(MODES)('is found by its mode %o, however private what is in it: %s', ([mode, isLoose]) => {
    const scratch = makeScratch()
    const shared = scratch.folder('shared')
    chmodSync(shared, mode)
    expect(findLooseFolder(scratch.folder('shared/mine/state'))).toBe(isLoose ? shared : null)
    expect(findLooseFolder(scratch.at('shared/not/yet'))).toBe(isLoose ? shared : null)
    expect(findLooseFolder(shared)).toBeNull()
  })

  it('is found where a link lies, and where it leads', () => {
    const scratch = makeScratch()
    const shared = scratch.folder('shared')
    chmodSync(shared, 0o777)
    scratch.folder('mine/state')
    expect(findLooseFolder(`${scratch.link('shared/link', '../mine')}/state`)).toBe(shared)
    scratch.folder('shared/theirs')
    expect(findLooseFolder(`${scratch.link('mine/link', '../shared/theirs')}/state`)).toBe(shared)
    expect(findLooseFolder(`${scratch.link('mine/own', '.')}/state`)).toBeNull()
  })

  it.runIf(isRoot)('is found by its owner, and by a group that is not the own one', () => {
    const scratch = makeScratch()
    const theirs = scratch.folder('theirs')
    chownSync(theirs, NOBODY, NOBODY)
    expect(findLooseFolder(scratch.folder('theirs/state'))).toBe(theirs)
    chownSync(theirs, 0, NOBODY)
    expect(findLooseFolder(scratch.at('theirs/state'))).toBeNull()
    chmodSync(theirs, 0o775)
    expect(findLooseFolder(scratch.at('theirs/state'))).toBe(theirs)
  })
})
