import { appendFileSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { findGitPlaces } from '../../../src/host/git/git-places.ts'
import { isTakenForBare, repositoryAt } from '../../../src/host/git/find-repositories.ts'
import { ASK_BEFORE, bench, errorOf } from '../../bench-folder.ts'
import { makeScratch } from '../../harness/scratch.ts'
import { makeRepository } from '../confine/git-attacks.ts'

beforeEach(() => vi.stubEnv('GIT_CONFIG_NOSYSTEM', '1'))
afterEach(() => vi.unstubAllEnvs())

function makeWork() {
  const scratch = makeScratch()
  const folder = makeRepository(scratch.at('work'))
  const git = join(folder, '.git')
  const find = () => findGitPlaces([folder], folder, scratch.folder('home'))
  return { folder, git, find }
}

type Work = ReturnType<typeof makeWork>
const setting = (line: string) => (work: Work) => appendFileSync(join(work.git, 'config'), `${line}\n`)
const link = (name: string, target: string) => (work: Work) => {
  rmSync(join(work.git, name), { recursive: true, force: true })
  mkdirSync(join(work.git, name, '..'), { recursive: true })
  symlinkSync(target, join(work.git, name))
}

/** What leads git, started in the work tree, to a place there, and this process elsewhere. */
const WAYS = [
  ['the folder of hooks', setting('[core] hooksPath = /proc/self/cwd/h')],
  ['an included file', setting('[include] path = /proc/self/cwd/h')],
  ['a file that is included on a condition', setting('[includeIf "onbranch:x"] path = /proc/self/cwd/h')],
  ['templates', setting('[init] templateDir = /proc/thread-self/cwd/h')],
  ['attributes', setting('[core] attributesFile = /proc/self/cwd/h')],
  ['a program', setting('[core] pager = sh /proc/self/cwd/h')],
  ['a program by the root of a process', setting('[core] editor = /proc/self/root/h')],
  ['a folder of one process', setting('[core] hooksPath = /proc/4194303/cwd/h')],
  ['a link for the hooks', link('hooks', '/proc/self/cwd/h')],
  ['a link for one hook', link('hooks/pre-commit', '/proc/self/cwd/h')],
  ['a link for attributes', link('info/attributes', '/proc/self/cwd/h')],
  ['a link to the common folder', link('commondir', '/proc/self/cwd/h')],
] as const

describe('what decides over git leads each program elsewhere', () => {
  it.each(WAYS)('by %s: then nothing is known, and the path is named', (_, make) => {
    const work = makeWork()
    expect(work.find().ok).toBe(true)
    make(work)
    expect(work.find()).toMatchObject({
      ok: false,
      why: expect.stringMatching(/goes through \/proc\/.*which leads each program elsewhere/),
    })
  })

  it('by the folder of git itself: then nothing is known either', () => {
    const { folder, git, find } = makeWork()
    rmSync(git, { recursive: true })
    symlinkSync('/proc/self/cwd/h', git)
    expect(find().ok).toBe(false)
    rmSync(git)
    writeFileSync(git, 'gitdir: /proc/self/cwd/h\n')
    expect(() => repositoryAt(folder)).toThrow('leads each program elsewhere')
  })

  it('in a folder that is a repository where git is started counts as one', () => {
    const scratch = makeScratch()
    scratch.file('b/HEAD', 'ref: refs/heads/main\n')
    scratch.folder('b/refs')
    symlinkSync('/proc/self/cwd/o', scratch.at('b/objects'))
    expect(isTakenForBare(scratch.at('b'))).toBe(true)
  })

  it.each(['cat /dev/stdin', 'tee /dev/fd/3', 'cat /proc/self/status', 'less </proc/self/fd/0'])(
    'control: a program that is given %s stops nothing',
    (program) => {
      const work = makeWork()
      setting(`[core] pager = ${program}`)(work)
      expect(work.find().ok).toBe(true)
    },
  )
})

it.each([
  ['write_file', { path: 'h/pre-commit', content: 'echo run' }],
  ['run_shell', { cmd: ['sh', '-c', 'mkdir -p h; echo run >h/pre-commit'] }],
] as const)('%s lands no hook that git would find from its work tree', async (name, args) => {
  const b = bench()
  makeRepository(b.root)
  appendFileSync(join(b.root, '.git/config'), '[core]\nhooksPath = /proc/self/cwd/h\n')
  const approve = (requests: readonly unknown[]) => requests.map(() => 'once' as const)
  const error = errorOf(await b.call(name, args, { approve, config: ASK_BEFORE }))
  expect(error.code).toBe('not_allowed')
  expect(error.message).toContain('/proc/self/cwd/h goes through /proc/')
})
