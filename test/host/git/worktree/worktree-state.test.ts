import { execFileSync } from 'node:child_process'
import { readFileSync, renameSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { readWorktreeState } from '../../../../src/host/git/worktree/worktree-state.ts'
import { makeScratch } from '../../../harness/scratch.ts'
import type { Scratch } from '../../../harness/scratch.ts'

const LONG_AGO = new Date(1_000_000_000_000)

/** A repository with a commit of d/f and of a file with a name of four characters. */
function commitTwo(scratch: Scratch): string {
  const root = scratch.folder('root')
  scratch.file('root/d/f')
  scratch.file('root/same')
  const git = (...args: readonly string[]): void =>
    void execFileSync('git', ['-C', root, '-c', 'user.name=u', '-c', 'user.email=u@example.org', ...args])
  git('init', '-q', '-b', 'main')
  git('add', '.')
  git('commit', '-q', '-m', 'one')
  return root
}

describe('the state of a work tree', () => {
  it('counts tracked files that differ, and no file that only has another time', async () => {
    const root = commitTwo(makeScratch())
    utimesSync(join(root, 'same'), LONG_AGO, LONG_AGO)
    expect(await readWorktreeState(root)).toEqual({ branch: 'main', changed: 0 })
    writeFileSync(join(root, 'd/f'), 'another content')
    expect(await readWorktreeState(root)).toEqual({ branch: 'main', changed: 1 })
    rmSync(join(root, 'same'))
    expect(await readWorktreeState(root)).toEqual({ branch: 'main', changed: 2 })
  })

  it('reads nothing outside of it that an index names', async () => {
    const scratch = makeScratch()
    const root = commitTwo(scratch)
    renameSync(join(root, 'same'), scratch.at('x'))
    utimesSync(scratch.at('x'), LONG_AGO, LONG_AGO)
    const index = join(root, '.git/index')
    const bytes = readFileSync(index)
    bytes.write('../x', bytes.lastIndexOf('same'))
    // Without a checksum git does not look whether it fits.
    bytes.fill(0, bytes.length - 20)
    writeFileSync(index, bytes)
    expect(await readWorktreeState(root)).toEqual({ branch: 'main', changed: null })
  })

  it('reads nothing outside of it that a link leads to', async () => {
    const scratch = makeScratch()
    const root = commitTwo(scratch)
    renameSync(join(root, 'd'), scratch.at('outside'))
    utimesSync(scratch.at('outside/f'), LONG_AGO, LONG_AGO)
    symlinkSync('../outside', join(root, 'd'))
    expect(await readWorktreeState(root)).toEqual({ branch: 'main', changed: 1 })
  })

  it('is told without the count if comparing takes too long', async () => {
    const root = commitTwo(makeScratch())
    expect(await readWorktreeState(root, { compareMs: 0 })).toEqual({ branch: 'main', changed: null })
  })
})
