import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { stageFiles } from '../../../../src/host/git/stage-files.ts'
import { readWorktreeState } from '../../../../src/host/git/worktree/worktree-state.ts'
import { PATIENCE_MS } from '../../../harness/patience.ts'
import { makeScratch } from '../../../harness/scratch.ts'

/** A repository of the user, and a folder beside it that came from elsewhere. */
function makePair() {
  const scratch = makeScratch()
  const [theirs, here] = [scratch.at('theirs'), scratch.at('here')]
  for (const folder of [theirs, here]) mkdirSync(folder)
  const git = (cwd: string, ...args: readonly string[]): string =>
    execFileSync(
      'git',
      ['-c', 'user.name=ada', '-c', 'user.email=a@example.com', '-c', 'protocol.file.allow=always', ...args],
      {
        cwd,
        encoding: 'utf8',
        stdio: ['ignore', 'pipe', 'pipe'],
        env: { PATH: process.env['PATH'], HOME: scratch.at('none') },
      },
    )
  git(theirs, 'init', '-q')
  writeFileSync(join(theirs, 'app.js'), 'code\n')
  git(theirs, 'add', '-A')
  git(theirs, 'commit', '-q', '-m', 'first')
  const stage = (folder: string) => {
    writeFileSync(join(folder, 'app.js'), 'changed\n')
    return stageFiles({ folder, timeoutMs: PATIENCE_MS }, [join(folder, 'app.js')])
  }
  return { theirs, here, git, stage }
}

type Pair = ReturnType<typeof makePair>

const FOREIGN: Readonly<Record<string, (pair: Pair) => void>> = {
  'a file with an absolute path': ({ theirs, here }) =>
    writeFileSync(join(here, '.git'), `gitdir: ${theirs}/.git\n`),
  'a file with a relative path': ({ here }) => writeFileSync(join(here, '.git'), 'gitdir: ../theirs/.git\n'),
  'a link': ({ theirs, here }) => symlinkSync(join(theirs, '.git'), join(here, '.git')),
  'a file that leads through a link': ({ theirs, here }) => {
    symlinkSync(join(theirs, '.git'), join(here, 'way'))
    writeFileSync(join(here, '.git'), 'gitdir: way\n')
  },
  'a folder with a link in the place of its index': ({ theirs, here }) => {
    cpSync(join(theirs, '.git'), join(here, '.git'), { recursive: true })
    rmSync(join(here, '.git/index'))
    symlinkSync(join(theirs, '.git/index'), join(here, '.git/index'))
  },
  'a folder whose objects are elsewhere': ({ theirs, here }) => {
    cpSync(join(theirs, '.git'), join(here, '.git'), { recursive: true })
    rmSync(join(here, '.git/objects'), { recursive: true })
    symlinkSync(join(theirs, '.git/objects'), join(here, '.git/objects'))
  },
  'a folder whose common folder is elsewhere': ({ theirs, here }) => {
    mkdirSync(join(here, '.git'))
    cpSync(join(theirs, '.git/HEAD'), join(here, '.git/HEAD'))
    writeFileSync(join(here, '.git/commondir'), '../../theirs/.git\n')
  },
  'a work tree that only says itself that it is one': ({ theirs, here }) => {
    mkdirSync(join(here, 'g'))
    cpSync(join(theirs, '.git/HEAD'), join(here, 'g/HEAD'))
    writeFileSync(join(here, 'g/commondir'), '../../theirs/.git\n')
    writeFileSync(join(here, 'g/gitdir'), `${here}/.git\n`)
    writeFileSync(join(here, '.git'), 'gitdir: g\n')
  },
  'the file of a work tree elsewhere': (pair) => {
    pair.git(pair.theirs, 'worktree', 'add', '-q', '../tree')
    cpSync(join(pair.here, '../tree/.git'), join(pair.here, '.git'))
  },
}

describe('a repository that does not know the folder', () => {
  it.each(Object.keys(FOREIGN))('is left alone and not asked: %s', async (name) => {
    const pair = makePair()
    FOREIGN[name]?.(pair)
    const objects = pair.git(pair.theirs, 'count-objects')
    const [fault] = await pair.stage(pair.here)
    expect(fault).toMatch(/nothing was staged: .* (?:is a link|does not name this work tree)/)
    expect(pair.git(pair.theirs, 'diff', '--cached', '--name-only')).toBe('')
    expect(pair.git(pair.theirs, 'count-objects')).toBe(objects)
    expect(await readWorktreeState(pair.here)).toBe(null)
  })

  it('control: a repository of its own, another work tree, a submodule and a git folder beside are used', async () => {
    const { theirs, here, git, stage } = makePair()
    git(theirs, 'worktree', 'add', '-q', '../tree')
    git(theirs, 'submodule', '--quiet', 'add', theirs, 'inner')
    rmSync(here, { recursive: true })
    git(theirs, 'clone', '-q', '--separate-git-dir', join(here, 'g'), theirs, here)
    for (const folder of [theirs, join(here, '../tree'), join(theirs, 'inner'), here]) {
      expect(await stage(folder)).toEqual([])
      expect(git(folder, 'diff', '--cached', '--name-only')).toContain('app.js')
      expect(await readWorktreeState(folder)).not.toBe(null)
    }
  })
})
