import { execFileSync } from 'node:child_process'
import { appendFileSync, chmodSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { readGitSettings } from '../../../src/host/git/read-settings.ts'
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

  it('are unknown if git hangs, and the wait has an end', () => {
    const { scratch, read } = makeWork('[core] hooksPath = tools\n')
    const slow = scratch.file('git', '#!/bin/sh\nexec sleep 600\n')
    chmodSync(slow, 0o755)
    const found = read(slow)
    expect(found.ok ? '' : found.why).toContain('git did not answer within 10 s')
  })

  it.for(['HEAD', 'config', '../../pipe'])('are unknown at once if a pipe is in the place of %s', (name) => {
    const { gitFolder, read } = makeWork('[include] path = ../../pipe\n')
    rmSync(join(gitFolder, name), { force: true })
    execFileSync('mkfifo', [join(gitFolder, name)])
    const found = read()
    expect(found.ok ? 'config' : found.why).toContain(name === 'config' ? 'config' : 'regular file')
  })

  it('are unknown if they include file after file without end', () => {
    const { scratch, read } = makeWork('[includeIf "onbranch:x"] path = ../../0\n')
    for (let number = 0; number < 100; number++)
      writeFileSync(scratch.at(`${number}`), `[includeIf "onbranch:x"] path = ${number + 1}\n`)
    const found = read()
    expect(found.ok ? '' : found.why).toContain('includes more than 64 files')
  })
})
