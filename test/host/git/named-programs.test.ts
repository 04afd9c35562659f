import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
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
  const find = () => {
    const found = findGitPlaces([folder], folder, home)
    if (!found.ok) throw new Error(found.why)
    return found
  }
  const places = () => find().places
  const isKept = (name: string): boolean => findGitPlace(find(), join(folder, name)) !== null
  const put = (name: string): void => {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), 'x')
  }
  return { scratch, folder, places, isKept, put }
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
  'rebase --exec ./tools/x HEAD~1',
  'rebase -xtools/x HEAD~1',
  "submodule foreach --recursive 'git fetch && ./tools/x'",
  'difftool --extcmd=tools/x',
  'bisect run sh tools/x',
  'fetch --upload-pack=./tools/x origin',
  'grep -Otools/x word',
  '-p -c core.abbrev=9 rebase --exec tools/x',
  '-c core.editor=./tools/x commit',
  '-c core.pager=true;./tools/x log',
  '-c core.pager="ROOT/tools/x -a" log',
  '-c alias.z="!tools/x" z',
  '--config-env=core.pager=TONGS_TEST_PAGER log',
  'of-its-own tools/x',
  'of-its-own one "sh tools/x"',
  'constructor tools/x',
  'rebase -ix ./tools/x HEAD~1',
  'rebase --exe tools/x HEAD~1',
  '"rebase" --exec "make;tools/x" HEAD~1',
  "rebase --exec 'GIT_EDITOR=tools/x git commit --amend' HEAD~1",
  'rebase --exec "sh -c \'true; tools/x\'" HEAD~1',
  "submodule --quiet foreach 'git rebase --exec tools/x main'",
  'submodule foreach git bisect run tools/x',
  'clone -u tools/x',
  'fetch "ext::sh tools/x"',
  'push --rec=tools/x origin',
] as const

/** Aliases in which a word happens to be the name of a program that is compiled. */
const ORDINARY = [
  ['rebase main', 'main'],
  ['rebase -i main', 'main'],
  ['pull origin main', 'main'],
  ['pull --rebase origin main', 'main'],
  ['merge main', 'main'],
  ['merge --no-ff release/next', 'release/next'],
  ['rebase origin/main', 'origin/main'],
  ['submodule update --init', 'update'],
  ['submodule foreach git pull origin main', 'main'],
  ["submodule foreach 'git checkout main && git pull origin main'", 'main'],
  ["submodule foreach '(git fetch; VERBOSE=1 git merge main)'", 'main'],
  ['bisect run test', 'test'],
  ['rebase --exec test main', 'test'],
  ['bisect start main', 'main'],
  ['worktree add ../main main', 'main'],
  ['remote update', 'update'],
  ['config install main', 'main'],
  ['difftool -x meld main', 'meld'],
  ['fetch --upload-pack server origin', 'server'],
  ['grep -Oless server', 'server'],
  ['mine main', 'main'],
  ['mine --with=main', 'main'],
  ['mine main', 'git-mine'],
] as const

/** Lines that give git a folder of what it obeys or runs. */
const GIVING = [
  ['-c core.hooksPath=tools commit', 'tools/pre-commit'],
  ['-c CORE.HooksPath="my tools" commit', 'my tools/pre-commit'],
  ["!git add -A && git -c 'core.hooksPath=tools' commit", 'tools/pre-commit'],
  ['!sh -c "git -c core.hooksPath=ROOT/tools commit"', 'tools/pre-commit'],
  ['-c include.path=ROOT/shared.config log', 'shared.config'],
  ['-c core.attributesFile=tools/attributes add', 'tools/attributes'],
  ['--exec-path=tools log', 'tools/git-remote-https'],
  ['init --template=tools', 'tools/hooks/pre-commit'],
  ['!git init --template tools', 'tools/hooks/pre-commit'],
  ['clone -ccore.hooksPath=ROOT/tools', 'tools/pre-commit'],
  ['clone --config core.hooksPath=ROOT/tools', 'tools/pre-commit'],
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
    vi.stubEnv('TONGS_TEST_PAGER', './tools/x')
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

  it.each(ORDINARY)('is not what the alias %s says with the word %s', (alias, name) => {
    const { folder, isKept, put } = makeWork('alias.q', alias, true)
    put(name)
    chmodSync(join(folder, name), 0o755)
    expect(isKept(name)).toBe(false)
  })

  it.each([
    'bisect run sh test',
    "rebase --exec 'sh test'",
    'submodule foreach sh test',
    'mine --run sh test',
  ])('is what a shell is given, as in the alias %s', (alias) => {
    const { isKept, put } = makeWork('alias.q', alias, true)
    put('test')
    expect(isKept('test')).toBe(true)
    put('other')
    expect(isKept('other')).toBe(false)
  })

  it('is kept where the alias tells git to begin', () => {
    const { folder, isKept, put } = makeWork('alias.q', '-C tools rebase --exec ./x main', true)
    for (const name of ['tools/x', 'tools/main']) {
      put(name)
      chmodSync(join(folder, name), 0o755)
    }
    expect(isKept('tools/x')).toBe(true)
    expect(isKept('tools/main')).toBe(false)
  })

  it.each([
    'bisect run test',
    'rebase --exec test main',
    "submodule foreach 'test && git pull'",
    'mine --with=test',
  ])('is kept for the alias %s if PATH leads to it', (alias) => {
    const { scratch, folder, isKept, put } = makeWork('alias.q', alias, true)
    for (const name of ['test', 'bin/test', 'main']) {
      put(name)
      chmodSync(join(folder, name), 0o755)
    }
    const path = process.env['PATH'] ?? ''
    for (const [first, name] of [
      ['.', 'test'],
      ['', 'test'],
      [`${folder}/`, 'test'],
      ['bin', 'bin/test'],
      [scratch.at('links'), 'bin/test'],
    ] as const) {
      vi.stubEnv('PATH', path)
      expect(isKept(name), first).toBe(false)
      if (first === scratch.at('links')) scratch.link('links/test', '../work/bin/test')
      vi.stubEnv('PATH', `${first}:${path}`)
      expect([first, isKept(name)]).toEqual([first, true])
      expect(isKept('main'), first).toBe(false)
    }
  })

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

  it('is kept where the name that git makes of a word leads to it', () => {
    for (const [key, value, name] of [
      ['credential.helper', 'mine --file x', 'git-credential-mine'],
      ['credential.https://example.org.helper', 'mine', 'git-credential-mine'],
      ['remote.origin.url', 'mine::somewhere', 'git-remote-mine'],
      ['remote.origin.vcs', 'mine', 'git-remote-mine'],
      ['remote.origin.url', 'mine://some/where', 'git-remote-mine'],
      ['url.mine://some/.insteadOf', 'https://example.org/', 'git-remote-mine'],
      ['remote.pushDefault', 'mine::somewhere', 'git-remote-mine'],
      ['pull.twohead', 'ours mine', 'git-merge-mine'],
      ['branch.main.mergeOptions', '--no-ff -s mine', 'git-merge-mine'],
      ['alias.q', '!git merge --strategy=mine x', 'git-merge-mine'],
      ['core.pager', 'git -P mine --all', 'git-mine'],
      ['alias.q', 'mine --all', 'git-mine'],
    ] as const) {
      const { scratch, folder, isKept, put } = makeWork(key, value)
      put('tools/x')
      chmodSync(join(folder, 'tools/x'), 0o755)
      mkdirSync(scratch.at('bin'))
      vi.stubEnv('PATH', `${scratch.at('bin')}:${process.env['PATH'] ?? ''}`)
      expect(isKept('tools/x'), key).toBe(false)
      symlinkSync(join(folder, 'tools/x'), scratch.at(`bin/${name}`))
      expect(isKept('tools/x'), key).toBe(true)
    }
  })

  it.each([
    'GIT_EDITOR',
    'GIT_SEQUENCE_EDITOR',
    'GIT_PAGER',
    'GIT_SSH',
    'GIT_SSH_COMMAND',
    'GIT_EXTERNAL_DIFF',
    'GIT_DIFFTOOL_EXTCMD',
    'GIT_ASKPASS',
    'GIT_PROXY_COMMAND',
    'SSH_ASKPASS',
    'EDITOR',
    'VISUAL',
    'PAGER',
  ])('is kept where a name on PATH that %s says leads to it', (variable) => {
    const { scratch, isKept, put } = makeWork('user.name', 'x')
    put('tools/x')
    put('tools/z')
    scratch.link('bin/mine', '../work/tools/x')
    vi.stubEnv('PATH', `${scratch.at('bin')}:${process.env['PATH'] ?? ''}`)
    expect(isKept('tools/x')).toBe(false)
    vi.stubEnv(variable, 'mine')
    expect(isKept('tools/x')).toBe(true)
    expect(isKept('tools/z')).toBe(false)
  })

  it.each([
    ['MERGE_TOOLS_DIR', 'tools'],
    ['GITPERLLIB', '/usr/share/perl5:tools'],
  ])('is kept in a folder that %s names', (variable, value) => {
    const { isKept } = makeWork('user.name', 'x')
    expect(isKept('tools/meld')).toBe(false)
    vi.stubEnv(variable, value)
    expect(isKept('tools/meld')).toBe(true)
    expect(isKept('meld')).toBe(false)
  })

  it.each([
    '!rm -rf ./dist',
    '!ls src/lib',
    '!git log origin/main -- src/',
    'log --format=tools/x',
    '-p -C .. log --format=tools/x',
    '-c color.ui=always diff -- tools/x src/lib/a.js',
    '-c log.date=format:%Y/%m/%d log tools/x',
    'commit --template tools/x',
    'config --get-all x',
  ])('is not what %s names', (alias) => {
    const { isKept } = makeWork('alias.q', alias)
    for (const name of ['dist/a.js', 'src/lib/a.js', 'src/a.js', 'tools/x']) expect(isKept(name)).toBe(false)
  })
})

describe('what an alias gives to git', () => {
  it.each(GIVING)('as in %s is kept', (alias, name) => {
    const { isKept, put } = makeWork('alias.q', alias)
    expect(isKept(name)).toBe(true)
    put(name)
    expect(isKept(name)).toBe(true)
    expect(isKept('other')).toBe(false)
  })

  it('is kept with all that it includes, and the alias is named', () => {
    const more = makeScratch().file('more', '[core] hooksPath = tools\n')
    const { folder, isKept, places } = makeWork(
      'alias.q',
      `-c include.path=${more} -c core.hooksPath=other log`,
    )
    expect(isKept('tools/pre-commit')).toBe(true)
    expect(places().map(({ why }) => why)).toContain(
      `alias.q in ${folder}/.git/config names it, so git runs the hooks in it`,
    )
  })
})
