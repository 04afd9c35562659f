import { execFileSync } from 'node:child_process'
import { appendFileSync, chmodSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { expandPath, readGitSettings } from '../../../src/host/git/read-settings.ts'
import { makeScratch } from '../../harness/scratch.ts'
import { makeRepository } from '../confine/git-attacks.ts'

beforeEach(() => vi.stubEnv('GIT_CONFIG_NOSYSTEM', '1'))
afterEach(() => vi.unstubAllEnvs())

function makeWork(text: string, global = '') {
  const scratch = makeScratch()
  const folder = makeRepository(scratch.at('work'))
  const gitFolder = join(folder, '.git')
  appendFileSync(join(gitFolder, 'config'), text)
  const home = scratch.at('home')
  mkdirSync(home)
  if (global !== '') writeFileSync(join(home, '.gitconfig'), global)
  const read = (git?: string | null) => readGitSettings({ gitFolder, commonFolder: gitFolder }, home, git)
  return { scratch, folder, gitFolder, home, read }
}

describe("git's settings", () => {
  it('are read from the repository, the user and what they include, with the file that sets each', () => {
    const { gitFolder, home, read } = makeWork(
      '[alias] x = "!echo ; \\"quoted\\"" # comment\n[core]\n\tfsmonitor\n',
      '[include] path = more\n',
    )
    writeFileSync(join(home, 'more'), '[core] pager = a\\\nb\n')
    const found = read()
    expect(found).toMatchObject({ ok: true })
    const settings = found.ok ? found.settings : []
    expect(settings).toContainEqual({
      key: 'alias.x',
      value: '!echo ; "quoted"',
      file: join(gitFolder, 'config'),
    })
    expect(settings).toContainEqual({ key: 'core.fsmonitor', value: '', file: join(gitFolder, 'config') })
    expect(settings).toContainEqual({ key: 'core.pager', value: 'ab', file: join(home, 'more') })
  })

  it('are read although the repository is not complete, because a command could complete it', () => {
    const { gitFolder, read } = makeWork('[core] hooksPath = tools\n')
    execFileSync('rm', [join(gitFolder, 'HEAD')])
    const found = read()
    expect(found.ok && found.settings.find(({ key }) => key === 'core.hookspath')?.value).toBe('tools')
  })

  it('are read although a file of the user is out of reach or linked to the null device', () => {
    const { scratch, home, read } = makeWork('[core] hooksPath = tools\n')
    // A folder that is a file cannot be reached by anyone, not even by root.
    vi.stubEnv('XDG_CONFIG_HOME', scratch.file('file'))
    symlinkSync('/dev/null', join(home, '.gitconfig'))
    const found = read()
    expect(found.ok && found.settings.find(({ key }) => key === 'core.hookspath')?.value).toBe('tools')
  })

  it('are none without git if no name in the files can run anything', () => {
    expect(
      makeWork('[remote "origin"]\n\turl = x\n', '[credential] helper = cache\n').read(null),
    ).toMatchObject({ ok: true, settings: [] })
  })

  it.for([
    ['[core] hooksPath = x\n', '', 'hooksPath'],
    ['[INCLUDE] path = x\n', '', 'INCLUDE'],
    ['', '[core]\n\tsshCommand = x\n', 'sshCommand'],
    ['', '[diff "x"] textconv = x\n', 'textconv'],
    ['', '[credential]\n\thelper = !x\n', 'helper'],
  ])('are unknown without git if a name could: %j %j', ([text = '', global = '', name]) => {
    const found = makeWork(text, global).read(null)
    expect(found).toMatchObject({ ok: false })
    expect(found.ok ? '' : found.why).toMatch(
      new RegExp(`^git is not installed, or users other than root can change it, and .* contains "${name}"$`),
    )
  })

  it.for([
    ['newlines', `${'\n'.repeat(1_000_000)}[core`],
    ['returns', `[core]\n${'\r'.repeat(1_000_000)}[core`],
    ['blanks', `[core]\n${' '.repeat(1_000_000)}!`],
    ['a word', `[core]\n${'hook'.repeat(250_000)}!`],
  ] as const)('are judged at once without git if the file has a million %s', ([, text]) => {
    expect(makeWork(text).read(null)).toMatchObject({ ok: true })
  })

  it('are unknown if git hangs, and the wait has an end', () => {
    const { scratch, read } = makeWork('[core] hooksPath = tools\n')
    const slow = scratch.file('git', '#!/bin/sh\nexec sleep 600\n')
    chmodSync(slow, 0o755)
    const found = read(slow)
    expect(found.ok ? '' : found.why).toContain('git did not answer within 10 s')
  })

  it('are judged at once by the other files if a pipe is in the place of config', () => {
    const { gitFolder, home, read } = makeWork('', '[user] name = a\n')
    rmSync(join(gitFolder, 'config'))
    execFileSync('mkfifo', [join(gitFolder, 'config')])
    expect(read()).toMatchObject({ ok: true })
    writeFileSync(join(home, '.gitconfig'), '[core] hooksPath = tools\n')
    const found = read()
    expect(found.ok ? '' : found.why).toContain('config is not a small regular file')
  })

  it.for(['include', 'includeIf "onbranch:x"'])(
    'are unknown at once if a pipe is in the place of a file that is named by %s',
    (section) => {
      const { scratch, read } = makeWork(`[${section}] path = ../../pipe\n`)
      execFileSync('mkfifo', [scratch.at('pipe')])
      const found = read()
      expect(found.ok ? '' : found.why).toContain('pipe is not a small regular file')
    },
  )

  it.for(['HEAD', 'commondir'])('are read at once although a pipe is in the place of %s', (name) => {
    const { gitFolder, read } = makeWork('[core] hooksPath = tools\n')
    rmSync(join(gitFolder, name), { force: true })
    execFileSync('mkfifo', [join(gitFolder, name)])
    const found = read()
    expect(found.ok && found.settings.find(({ key }) => key === 'core.hookspath')?.value).toBe('tools')
  })

  it.for(['include', 'core'])('are unknown at once if they name thousands of paths in [%s]', (section) => {
    const name = section === 'core' ? 'hooksPath' : 'path'
    const lines = Array.from({ length: 5000 }, (_, number) => `${name} = ~/${number}\n`).join('')
    const found = makeWork(`[${section}]\n${lines}`).read()
    expect(found.ok ? '' : found.why).toContain('names more than 1000 paths')
  })

  it('name the homes of users and the prefix of git as git does', () => {
    const { folder, home } = makeWork('')
    const asGit = (path: string) =>
      execFileSync('git', ['-C', folder, '-c', `a.b=${path}`, 'config', '--type=path', 'a.b'], {
        encoding: 'utf8',
        env: { ...process.env, HOME: home },
      }).trim()
    for (const path of ['~', '~/x/../y', '~root', '~root/x', '%(prefix)/etc/x', '%(prefix)x', 'a~/b', '/a/b'])
      expect(expandPath(path, home)).toBe(asGit(path))
    expect(expandPath('~nobody-has-this-name/x', home)).toBe(null)
    expect(expandPath(':(optional)~/x', home)).toBe(`${home}/x`)
  })

  it('are unknown if they include file after file without end', () => {
    const { scratch, read } = makeWork('[includeIf "onbranch:x"] path = ../../0\n')
    for (let number = 0; number < 100; number++)
      writeFileSync(scratch.at(`${number}`), `[includeIf "onbranch:x"] path = ${number + 1}\n`)
    const found = read()
    expect(found.ok ? '' : found.why).toContain('includes more than 64 files')
  })
})
