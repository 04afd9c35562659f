import { execFileSync } from 'node:child_process'
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { agreeOnce } from '../../../src/core/approval.ts'
import { bench, errorOf, outputOf } from '../../bench-folder.ts'
import { git, makeRepository } from '../../host/confine/git-attacks.ts'
import { namedGitWays } from '../../host/confine/named-git-ways.ts'
import type { NamedWay } from '../../host/confine/named-git-ways.ts'
import { someOf } from '../../harness/long-run.ts'

afterEach(() => vi.unstubAllEnvs())

/** A repository beside the user's home. */
function makeWork(make: NamedWay['make'] = () => undefined) {
  const made = bench()
  const home = join(made.top, 'home')
  mkdirSync(home)
  vi.stubEnv('HOME', home)
  const repository = makeRepository(join(made.top, 'work'))
  make(repository, home)
  const call = (name: string, args: unknown, root = '.') =>
    made.call(name, args, { root: join(repository, root), approve: agreeOnce })
  return { repository, call }
}

describe('path tools and what git runs', () => {
  // Path tools cannot make a link.
  const ways = Object.entries(namedGitWays).filter(([, { before = '' }]) => !before.startsWith('ln '))

  it.for(someOf(ways, 10))(
    'write nothing that git would run, named by %s',
    async ([, { file, make, root }]) => {
      const { repository, call } = makeWork(make)
      const path = join(repository, root ?? '.', file)
      const before = existsSync(path) ? readFileSync(path, 'utf8') : null
      const error = errorOf(await call('write_file', { path: file, content: '#!/bin/sh\n' }, root))
      expect(error).toMatchObject({ code: 'denied_pattern', state: 'DENIED' })
      expect(existsSync(path) ? readFileSync(path, 'utf8') : null).toBe(before)
    },
  )

  const hooks: NamedWay['make'] = (folder) => {
    git(folder, 'config', 'core.hooksPath', 'scripts/hooks')
    mkdirSync(join(folder, 'scripts/hooks'), { recursive: true })
    writeFileSync(join(folder, 'scripts/build.sh'), '')
  }

  it.for([
    ['write_file', { path: 'scripts/hooks/pre-commit', content: 'x' }],
    ['write_file', { path: 'scripts/hooks', content: 'x' }],
    ['move_path', { from: 'first.txt', to: 'scripts/hooks/pre-commit' }],
    ['move_path', { from: 'scripts', to: 'elsewhere' }],
    ['move_path', { from: 'scripts/hooks', to: 'elsewhere' }],
    ['delete_path', { path: 'scripts' }],
    ['apply_patch', { patch: 'LP1\nF scripts/hooks/pre-commit\nT\n#!/bin/sh\n.\nEND\n' }],
    ['delete_path', { path: 'scripts/hooks' }],
    ['edit_file', { path: 'scripts/hooks/x', old: 'a', new: 'b' }],
  ] as const)('are refused a folder of hooks by %s', async ([name, args]) => {
    const { repository, call } = makeWork(hooks)
    const error = errorOf(await call(name, args))
    expect(error.message).toContain(`core.hookspath in ${repository}/.git/config names it`)
    expect(error.message).toContain('git runs the hooks in it')
    expect(existsSync(join(repository, 'scripts/hooks'))).toBe(true)
  })

  it.for([
    ['a new HEAD', ['config', 'objects/x', 'refs/x'], 'write_file', { path: 'sub/HEAD', content: 'x' }],
    ['a file moved to HEAD', ['x'], 'move_path', { from: 'sub/x', to: 'sub/HEAD' }],
    ['a folder with HEAD', ['x/HEAD'], 'move_path', { from: 'sub/x', to: 'sub/y' }],
    ['objects beside HEAD', ['HEAD', 'refs/x'], 'write_file', { path: 'sub/objects/x', content: 'x' }],
    ['refs beside HEAD', ['HEAD'], 'apply_patch', { patch: 'LP1\nF sub/refs/x\nT\nx\n.\nEND\n' }],
    ['commondir beside HEAD', ['HEAD'], 'write_file', { path: 'sub/commondir', content: '../store' }],
    [
      'taking the objects from one',
      ['HEAD', 'objects/x', 'refs/x'],
      'move_path',
      { from: 'sub/objects', to: 'objects' },
    ],
    ['changing its HEAD', ['HEAD', 'objects/x', 'refs/x'], 'write_file', { path: 'sub/HEAD', content: 'x' }],
    ['changing where one has its rest', ['HEAD', 'commondir'], 'delete_path', { path: 'sub/commondir' }],
  ] as const)('make no repository by %s', async ([, files, name, args]) => {
    const { repository, call } = makeWork()
    for (const file of files) {
      mkdirSync(join(repository, 'sub', file, '..'), { recursive: true })
      writeFileSync(join(repository, 'sub', file), 'x')
    }
    const error = errorOf(await call(name, args))
    expect(error.code).toBe('denied_pattern')
    expect(error.message).toMatch(/a git repository|the git folder of/)
  })

  it.for([
    ['objects', 'store', 'write_file', { path: 'sub/store/x', content: 'x' }],
    ['objects', '../far/store', 'write_file', { path: 'far/store/x', content: 'x' }],
    ['refs', '../moved', 'move_path', { from: 'sub/others', to: 'moved' }],
  ] as const)(
    'make no repository of one that lacks where its %s leads: %s',
    async ([link, to, name, args]) => {
      const { repository, call } = makeWork()
      for (const file of ['HEAD', 'config', 'objects/x', 'refs/x', 'others/x']) {
        mkdirSync(join(repository, 'sub', file, '..'), { recursive: true })
        writeFileSync(join(repository, 'sub', file), file === 'HEAD' ? 'ref: refs/heads/x' : 'x')
      }
      rmSync(join(repository, 'sub', link), { recursive: true })
      symlinkSync(to, join(repository, 'sub', link))
      const error = errorOf(await call(name, args))
      expect(error.message).toContain(`it is part of what makes ${repository}/sub a git repository`)
      expect(outputOf(await call('write_file', { path: 'sub/near.txt', content: 'x' }))).toMatchObject({
        created: true,
      })
    },
  )

  it("protect what the user's settings name, and these settings, where there is no repository", async () => {
    const made = bench()
    const root = join(made.top, 'plain')
    mkdirSync(root)
    writeFileSync(join(made.top, 'own.config'), `[core]\n\thooksPath = ${root}/hooks\n`)
    const call = (path: string) =>
      made.call('write_file', { path, content: 'x' }, { root, approve: agreeOnce })
    vi.stubEnv('GIT_CONFIG_GLOBAL', join(made.top, 'own.config'))
    expect(errorOf(await call('hooks/pre-commit')).message).toContain('git runs the hooks in it')
    expect(outputOf(await call('a.txt'))).toMatchObject({ created: true })
    vi.stubEnv('GIT_CONFIG_GLOBAL', join(root, 'my.config'))
    expect(errorOf(await call('my.config')).message).toContain('it configures git for every repository')
  })

  /** Values that a user may have exported, and a file that their own git would then obey or run. */
  const exported: readonly (readonly [string, string, string])[] = [
    ['GIT_TEMPLATE_DIR', 'templates', 'templates/hooks/pre-commit'],
    ['GIT_WORK_TREE', 'tree', 'tree/scripts/hooks/pre-commit'],
    ['GIT_DIR', 'store', 'store/hooks/pre-commit'],
    ['GIT_DIR', 'gone', 'gone/hooks/pre-commit'],
    ['XDG_CONFIG_HOME', 'settings', 'settings/git/config'],
    ['XDG_CONFIG_HOME', 'settings', 'sub/settings/git/config'],
    ['XDG_CONFIG_HOME', 'settings', 'settings/git/attributes'],
    ['GIT_CONFIG_GLOBAL', 'my.config', 'my.config'],
    ['GIT_CONFIG_SYSTEM', 'my.config', 'my.config'],
    ['GIT_SSH_COMMAND', 'tools/ssh -v', 'tools/ssh'],
    ['GIT_ASKPASS', 'my tools/ask', 'my tools/ask'],
    ['GIT_EDITOR', "'my tools/edit' -w", 'my tools/edit'],
    ['GIT_EXEC_PATH', './programs', 'programs/git-status'],
  ]

  it.for(someOf(exported, 4))(
    'write nothing that git obeys because of an exported %s=%s: %s',
    async ([name, value, path]) => {
      const { repository, call } = makeWork(hooks)
      mkdirSync(join(repository, 'store'))
      vi.stubEnv(name, value)
      const error = errorOf(await call('write_file', { path, content: '#!/bin/sh\n' }))
      expect(error).toMatchObject({ code: 'denied_pattern', state: 'DENIED' })
      expect(existsSync(join(repository, path))).toBe(false)
      const others = ['scripts/hooks/pre-commit', 'any.txt'] as const
      expect(errorOf(await call('write_file', { path: others[0], content: 'x' })).code).toBe('denied_pattern')
      expect(outputOf(await call('write_file', { path: others[1], content: 'x' }))).toMatchObject({
        created: true,
      })
    },
  )

  it.for(
    someOf(
      exported.filter(([, , path]) => !path.startsWith('sub/')),
      3,
    ),
  )('leave it alone in commands too: %s=%s, %s', async ([name, value, path]) => {
    const { repository, call } = makeWork(hooks)
    mkdirSync(join(repository, 'store'))
    vi.stubEnv(name, value)
    const line = `mkdir -p "$(dirname '${path}')"; echo x >'${path}'`
    await call('run_shell', { cmd: ['sh', '-c', line] })
    expect(existsSync(join(repository, path))).toBe(false)
  })

  it('leave alone what the settings of an exported repository name, wherever git is started', async () => {
    const { repository, call } = makeWork()
    mkdirSync(join(repository, 'store'))
    writeFileSync(join(repository, 'store/config'), '[core] hooksPath = tools\n')
    vi.stubEnv('GIT_DIR', join(repository, 'store'))
    for (const path of ['tools/pre-commit', 'sub/tools/pre-commit'])
      expect(errorOf(await call('write_file', { path, content: 'x' })).code).toBe('denied_pattern')
    expect(outputOf(await call('write_file', { path: 'sub/any', content: 'x' }))).toMatchObject({
      created: true,
    })
  })

  it('leave alone in commands what relative variables mean where Tongs was started', async () => {
    const { repository, call } = makeWork()
    mkdirSync(join(repository, 'sub/store'), { recursive: true })
    vi.stubEnv('GIT_DIR', 'store')
    const write = () => call('run_shell', { cmd: ['sh', '-c', 'echo x >sub/store/config'] })
    vi.spyOn(process, 'cwd').mockReturnValue(join(repository, 'sub'))
    await write()
    expect(existsSync(join(repository, 'sub/store/config'))).toBe(false)
    vi.restoreAllMocks()
    await write()
    expect(existsSync(join(repository, 'sub/store/config'))).toBe(true)
  })

  it('are as quick beside a pipe in the place of what git reads', async () => {
    for (const [name, made] of [
      ['HEAD', '.git/HEAD'],
      ['an included file', 'pipe'],
      ['the index', '.git/index'],
    ] as const) {
      const { repository, call } = makeWork((folder) => git(folder, 'config', 'include.path', '../pipe'))
      rmSync(join(repository, made), { force: true })
      execFileSync('mkfifo', [join(repository, made)])
      const startedMs = performance.now()
      await call('write_file', { path: 'first.txt', content: 'two\n' })
      expect(performance.now() - startedMs, name).toBeLessThan(5_000)
    }
  })

  it('leave alone where a link in the place of .git leads', async () => {
    const { repository, call } = makeWork((folder) => {
      git(folder, 'init', '-q', '--separate-git-dir=store')
      renameSync(join(folder, '.git'), join(folder, 'pointer'))
      symlinkSync('pointer', join(folder, '.git'))
      git(folder, 'config', 'core.hooksPath', 'tools')
    })
    for (const path of ['pointer', 'store/config', 'tools/pre-commit'])
      expect(errorOf(await call('write_file', { path, content: 'x' })).code).toBe('denied_pattern')
    expect(readFileSync(join(repository, 'pointer'), 'utf8')).toContain('store')
  })

  it('work beside a pipe in the place of .git', async () => {
    const made = bench()
    execFileSync('mkfifo', [join(made.root, '.git')])
    const written = await made.call('write_file', { path: 'a', content: 'x' }, { approve: agreeOnce })
    expect(outputOf(written)).toMatchObject({ created: true })
  })

  it('change nothing beside a configuration that is too large to be read', async () => {
    const { repository, call } = makeWork(hooks)
    appendFileSync(join(repository, '.git/config'), `# ${'x'.repeat(99)}\n`.repeat(50_000))
    const error = errorOf(await call('write_file', { path: 'scripts/hooks/pre-commit', content: 'x' }))
    expect(error.message).toContain('is not a small regular file')
  })

  it.for([
    ['write_file', { path: 'HEAD', content: 'ref: refs/heads/main' }],
    ['write_file', { path: 'sub/HEAD', content: 'ref: refs/heads/main' }],
    ['move_path', { from: 'first.txt', to: 'HEAD' }],
    ['apply_patch', { patch: 'LP1\nF sub/HEAD\nT\nref: refs/heads/main\n.\nEND\n' }],
  ] as const)(
    'do not turn a folder into a repository by %s, whatever was written first',
    async ([name, args]) => {
      const made = bench()
      writeFileSync(join(made.root, 'first.txt'), 'ref: refs/heads/main')
      const call = (tool: string, its: unknown) => made.call(tool, its, { approve: agreeOnce })
      for (const path of ['config', 'objects/x', 'refs/x', 'sub/config', 'sub/objects/x', 'sub/refs/x'])
        expect(outputOf(await call('write_file', { path, content: 'x' }))).toMatchObject({ created: true })
      expect(errorOf(await call(name, args))).toMatchObject({ code: 'denied_pattern', state: 'DENIED' })
      expect([existsSync(join(made.root, 'HEAD')), existsSync(join(made.root, 'sub/HEAD'))]).toEqual([
        false,
        false,
      ])
      expect(outputOf(await call('write_file', { path: 'src/head', content: 'x' }))).toMatchObject({
        created: true,
      })
    },
  )

  it('work as ever beside it', async () => {
    const { call } = makeWork(hooks)
    for (const path of ['scripts/new.sh', 'scripts/hooks.md', 'pre-commit'])
      expect(outputOf(await call('write_file', { path, content: 'x' }))).toMatchObject({ created: true })
  })

  it('notice a configuration that changes while they are open', async () => {
    const made = bench()
    const repository = makeRepository(join(made.top, 'work'))
    const runtime = await made.open({ root: repository, approve: agreeOnce })
    const write = async (id: string, path: string) =>
      (await runtime.run([{ id, name: 'write_file', args: { path, content: id } }]))[0]
    expect(outputOf(await write('c1', 'tools/one'))).toMatchObject({ created: true })
    git(repository, 'config', 'core.hooksPath', 'tools')
    expect(errorOf(await write('c2', 'tools/two')).code).toBe('denied_pattern')
    git(repository, 'config', '--unset', 'core.hooksPath')
    expect(outputOf(await write('c3', 'tools/three'))).toMatchObject({ created: true })
  })

  it('change nothing if git cannot say what it would run', async () => {
    const { repository, call } = makeWork((folder) => {
      git(folder, 'config', 'core.hooksPath', 'tools')
      git(folder, 'config', 'include.path', '../broken')
    })
    writeFileSync(join(repository, 'broken'), '[core')
    const error = errorOf(await call('write_file', { path: 'any.txt', content: 'x' }))
    expect(error).toMatchObject({ code: 'not_allowed' })
    expect(error.message).toContain('it is unknown what git would run here')
    expect(error.message).toContain('bad config')
  })
})
