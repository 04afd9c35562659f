import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { confineByBwrap } from '../../../src/host/confine/bwrap.ts'
import { buildSeccompFilter } from '../../../src/host/confine/seccomp/seccomp-filter.ts'
import { failureOf, makeScratch } from '../../harness/scratch.ts'
import { EMPTY_WORKSPACE, openCommandBench } from '../run/command-bench.ts'
import type { CommandBench } from '../run/command-bench.ts'
import { PATIENCE_MS } from '../../harness/patience.ts'
import { git, makeRepository } from './git-attacks.ts'

let bench: CommandBench
beforeAll(async () => {
  bench = await openCommandBench()
})
afterAll(() => bench.close())

describe('git in the sandbox', () => {
  it('adds and commits, and what decides over it stays', async () => {
    const folder = makeRepository(makeScratch().at('work'))
    const config = readFileSync(join(folder, '.git/config'), 'utf8')
    const confinement = await bench.confine({ roots: [folder] })
    const line =
      'echo two >second.txt && git add -A && git commit -qm second && git branch side && git stash list && git status --short && git gc -q'
    const end = await bench.sh(line, { confinement, cwd: folder })
    expect(end).toMatchObject({ exitCode: 0, refused: [] })
    expect(git(folder, 'log', '--format=%s %an').trim().split('\n')).toEqual(['second Ada', 'first Ada'])
    expect(git(folder, 'status', '--short')).toBe('')
    expect(readFileSync(join(folder, '.git/config'), 'utf8')).toBe(config)
  })

  it("commits in the person's name where only their own configuration knows it", async () => {
    const folder = makeRepository(makeScratch().at('work'))
    git(folder, 'config', '--unset', 'user.name')
    git(folder, 'config', '--unset', 'user.email')
    const confinement = confineByBwrap(
      {
        program: '/usr/bin/bwrap',
        filter: buildSeccompFilter(process.arch === 'arm64' ? 'arm64' : 'x64'),
        canLimitScratch: true,
        canMountHeld: true,
        gitIdentity: '[user]\n\tname = "Grace \\"H\\" Hopper"\n\temail = "grace@example.org"\n',
      },
      { ...EMPTY_WORKSPACE, roots: [folder], home: '/home/grace' },
    )
    const end = await bench.sh('git commit -q --allow-empty -m mine', { confinement, cwd: folder })
    expect(end.exitCode).toBe(0)
    expect(git(folder, 'log', '-1', '--format=%an <%ae>').trim()).toBe('Grace "H" Hopper <grace@example.org>')
  })

  it('commits in a linked work tree', async () => {
    const scratch = makeScratch()
    const main = makeRepository(scratch.at('main'))
    const linked = scratch.at('linked')
    git(main, 'worktree', 'add', '-q', linked)
    const confinement = await bench.confine({ roots: [linked] })
    const end = await bench.sh('echo x >x && git add x && git commit -qm linked', {
      confinement,
      cwd: linked,
    })
    expect(end).toMatchObject({ exitCode: 0, refused: [] })
    expect(git(main, 'log', '-1', '--format=%s', 'linked').trim()).toBe('linked')
  })

  it('works beside a submodule, whose own repository can be read and not written', async () => {
    const scratch = makeScratch()
    const library = makeRepository(scratch.at('library'))
    const folder = makeRepository(scratch.at('work'))
    git(folder, 'submodule', '--quiet', 'add', library, 'libs/inner')
    const confinement = await bench.confine({ roots: [folder] })
    const line = 'git commit -qm "a submodule" && git status --short && git -C libs/inner log -1 --format=%s'
    const end = await bench.sh(line, { confinement, cwd: folder })
    expect(end).toMatchObject({ exitCode: 0, stdout: 'first\n', refused: [] })
  })

  it('may start a repository in a folder of the workspace, which git outside does not obey', async () => {
    const folder = makeRepository(makeScratch().at('work'))
    const confinement = await bench.confine({ roots: [folder] })
    const end = await bench.sh('git init -q sub && cd sub && git commit -q --allow-empty -m x', {
      confinement,
      cwd: folder,
      env: {
        PATH: '/usr/bin:/bin',
        GIT_AUTHOR_NAME: 'a',
        GIT_AUTHOR_EMAIL: 'a@a',
        GIT_COMMITTER_NAME: 'a',
        GIT_COMMITTER_EMAIL: 'a@a',
      },
    })
    expect(end).toMatchObject({ exitCode: 0, refused: [] })
  })

  it('stops a command at once that sends git elsewhere, keeps what it made under another name and says so', async () => {
    const folder = makeRepository(makeScratch().at('work'))
    const confinement = await bench.confine({ roots: [folder] })
    const startedMs = performance.now()
    const end = await bench.sh('echo ../evil >.git/commondir; sleep 2000', { confinement, cwd: folder })
    expect(performance.now() - startedMs).toBeLessThan(PATIENCE_MS / 2)
    const path = join(folder, '.git/commondir')
    expect(end).toMatchObject({ signal: 'SIGKILL', isTimedOut: false, isCancelled: false })
    expect(end.refused).toMatchObject([{ path, movedTo: `${path}.refused` }])
    expect(existsSync(path)).toBe(false)
    expect(git(folder, 'status', '--short')).toBe('')
  })

  it('stops it at once also where the folders of a forbidden name were missing', async () => {
    const folder = makeRepository(makeScratch().at('work'))
    git(folder, 'config', 'core.hooksPath', 'a/b/hooks')
    const confinement = await bench.confine({ roots: [folder] })
    const startedMs = performance.now()
    const line = 'mkdir a; mkdir a/b; mkdir a/b/hooks; echo x >a/b/hooks/pre-commit; sleep 2000'
    const end = await bench.sh(line, { confinement, cwd: folder })
    expect(performance.now() - startedMs).toBeLessThan(PATIENCE_MS / 2)
    const path = join(folder, 'a/b/hooks')
    expect(end).toMatchObject({ signal: 'SIGKILL', refused: [{ path, movedTo: `${path}.refused` }] })
  })

  it('refuses a workspace whose .git is a link, because it could be replaced', async () => {
    const scratch = makeScratch()
    mkdirSync(scratch.at('work'))
    symlinkSync(makeRepository(scratch.at('other')) + '/.git', scratch.at('work/.git'))
    const confinement = await bench.confine({ roots: [scratch.at('work')] })
    expect(failureOf(() => confinement.launch({ argv: ['true'], cwd: '/', env: {} }))).toMatchObject({
      code: 'not_allowed',
      message: expect.stringContaining('is a link') as string,
    })
  })

  it('shows a repository with links in the wrong places read-only', async () => {
    const folder = makeRepository(makeScratch().at('work'))
    const scratch = makeScratch()
    git(folder, 'config', '--unset', 'user.name')
    scratch.folder('hooks')
    const { renameSync } = await import('node:fs')
    renameSync(join(folder, '.git/hooks'), scratch.at('old'))
    symlinkSync(scratch.at('hooks'), join(folder, '.git/hooks'))
    writeFileSync(join(folder, 'x'), 'x')
    const confinement = await bench.confine({ roots: [folder] })
    const end = await bench.sh('git log -1 --format=%s; git add x', { confinement, cwd: folder })
    expect(end.stdout).toBe('first\n')
    expect(end.stderr).toContain('Read-only file system')
  })
})
