import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { traceNamedPath } from '../../../src/host/git/follow-named-path.ts'
import { findGitPlace, findGitPlaces } from '../../../src/host/git/git-places.ts'
import { makeScratch } from '../../harness/scratch.ts'
import { makeRepository } from '../confine/git-attacks.ts'

beforeEach(() => vi.stubEnv('GIT_CONFIG_NOSYSTEM', '1'))
afterEach(() => vi.unstubAllEnvs())

/** A repository with one setting, in which ROOT stands for its folder. */
function makeWork(key: string, value: string, isGlobal = false) {
  const scratch = makeScratch()
  const folder = makeRepository(scratch.at('work'))
  const home = scratch.at('home')
  mkdirSync(home)
  execFileSync('git', ['config', isGlobal ? '--global' : '--local', key, value.replaceAll('ROOT', folder)], {
    cwd: folder,
    env: { PATH: process.env['PATH'], HOME: home },
  })
  const isKept = (name: string): boolean => {
    const places = findGitPlaces([folder], folder, home)
    if (!places.ok) throw new Error(places.why)
    return findGitPlace(places, join(folder, name)) !== null
  }
  const put = (name: string): void => {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), 'x')
  }
  return { scratch, folder, isKept, put }
}

const COMMANDS = [
  'node --import=file://ROOT/tools/x -e 0',
  'node --import file://ROOT/tools/%78 -e 0',
  'java -cp /dev/null:ROOT/tools/x Main',
  'java -cp tools/y.jar,tools/x Main',
  'java -cp tools/y.jar:./tools/x Main',
  'node -rROOT/tools/x',
  'node -r./tools/x -e 0',
  'program one two @ROOT/tools/x',
  'program one two three tools/x',
] as const

const ALIASES = [
  '!sh tools/x',
  '!bash ./tools/x',
  '!f() { tools/x; }; f',
  '!f() { sh tools/x "$@"; }; f',
  '!exec tools/x',
  '!env A=1 tools/x',
  '!sh -e tools/x',
  '!true && sh tools/x',
  '!time tools/x',
  '!nice -n 5 ROOT/tools/x',
  '!git bisect run tools/x',
  '!node --import=file://ROOT/tools/x',
] as const

describe('a program that the configuration of git names', () => {
  it.each(COMMANDS)('is kept, made or not, if it says %s', (command) => {
    const { isKept, put } = makeWork('diff.external', command)
    expect(isKept('tools/x')).toBe(true)
    put('tools/x')
    expect(isKept('tools/x')).toBe(true)
    expect(isKept('tools/z')).toBe(false)
  })

  it.each(ALIASES)('cannot be made for the alias %s of the user', (alias) => {
    const { isKept, put } = makeWork('alias.q', alias, true)
    expect(isKept('tools/x')).toBe(true)
    put('tools/z')
    expect(isKept('tools/z')).toBe(false)
  })

  it.each(['!node --import=file://ROOT/tools/x', '!nice sh ./tools/x'])(
    'need not be executable if something else runs it, as in %s',
    (alias) => {
      const { isKept, put } = makeWork('alias.q', alias)
      put('tools/x')
      expect(isKept('tools/x')).toBe(true)
    },
  )

  it('is kept where a name on PATH leads to it', () => {
    const { scratch, folder, isKept, put } = makeWork('core.pager', 'my-pager --all')
    put('tools/x')
    put('tools/z')
    chmodSync(join(folder, 'tools/x'), 0o755)
    expect(isKept('tools/x')).toBe(false)
    mkdirSync(scratch.at('bin'))
    symlinkSync(join(folder, 'tools/x'), scratch.at('bin/my-pager'))
    vi.stubEnv('PATH', `${scratch.at('bin')}:${process.env['PATH'] ?? ''}`)
    expect(isKept('tools/x')).toBe(true)
    expect(isKept('tools/z')).toBe(false)
  })

  it.each(['!rm -rf ./dist', '!ls src/lib', '!git log origin/main -- src/', 'log --format=tools/x'])(
    'is not what %s names',
    (alias) => {
      const { isKept } = makeWork('alias.q', alias)
      for (const name of ['dist/a.js', 'src/lib/a.js', 'src/a.js', 'tools/x'])
        expect(isKept(name)).toBe(false)
    },
  )
})

describe('a configuration that came with a folder cannot keep an edit waiting', () => {
  it.each([
    [
      'a hook path of a hundred thousand parts',
      `[core]\nhooksPath = ${'a/'.repeat(100_000)}\n`,
      'core.hookspath',
    ],
    ['a list without blanks', `[core]\npager = ${'./a:'.repeat(100_000)}\n`, 'core.pager'],
    [
      'a command of a hundred thousand words',
      `[core]\npager = ${'a=b/c '.repeat(100_000)}\n`,
      'commands of more than',
    ],
    ['thousands of aliases', `[alias]\n${'a = !x/y z/w v/u\n'.repeat(10_000)}`, 'commands of more than'],
  ])('%s', (_title, text, says) => {
    const { folder, scratch } = makeWork('user.name', 'a')
    writeFileSync(join(folder, '.git/config'), text, { flag: 'a' })
    const places = findGitPlaces([folder], folder, scratch.at('home'))
    expect(places.ok ? '' : places.why).toContain(says)
  })

  it('control: long values that name no paths are of no consequence', () => {
    const { folder, scratch } = makeWork('user.name', 'a')
    writeFileSync(join(folder, '.git/config'), `[user]\nemail = ${'a/'.repeat(100_000)}\n`, { flag: 'a' })
    expect(findGitPlaces([folder], folder, scratch.at('home')).ok).toBe(true)
  })

  it('a git folder whose path has half a million parts is followed to its end', () => {
    const { real, left } = traceNamedPath(`/${'a/../'.repeat(250_000)}${'b/'.repeat(250_000)}`)
    expect([real.length, left.length]).toEqual([500_000, 1])
  })
})
