import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { bench } from '../../bench-folder.ts'
import type { Bench } from '../../bench-folder.ts'
import { git, makeRepository } from '../../host/confine/git-attacks.ts'

/** A folder that commands write without a layer: where it is, and what lets them. */
interface Way {
  readonly config: Readonly<Record<string, unknown>>
  readonly folderOf: (b: Bench) => string
  readonly write?: boolean
}

const WAYS: readonly (readonly [string, Way])[] = [
  ['a folder that was granted', { config: {}, folderOf: (b) => join(b.root, '..', 'outside'), write: true }],
  ['the root without a layer', { config: { 'tools.shell.layer': 'off' }, folderOf: (b) => b.root }],
  [
    'a folder that is written directly',
    { config: { 'tools.shell.passthrough': ['live'] }, folderOf: (b) => join(b.root, 'live') },
  ],
]

function layOut(way: Way): { readonly b: Bench; readonly folder: string } {
  const b = bench({ 'live/here': '' })
  const folder = way.folderOf(b)
  mkdirSync(folder, { recursive: true })
  return { b, folder }
}

async function run(b: Bench, { config, write }: Way, folder: string, line: string) {
  const runtime = await b.open({ config, approve: (asked) => asked.map(() => 'once' as const) })
  const args = { cmd: ['sh', '-c', `cd '${folder}' && { ${line}; }`], ...(write ? { write: [folder] } : {}) }
  const [result] = await runtime.run([{ id: 'c', name: 'run_shell', args }])
  await runtime.close()
  return result
}

describe.each(WAYS)('repositories below %s', (_where, way) => {
  it('keep their configuration and hooks, and take commits', async () => {
    const { b, folder } = layOut(way)
    const inner = makeRepository(join(folder, 'deep', 'er', 'repo'))
    const bare = join(folder, 'deep', 'bare.git')
    execFileSync('git', ['init', '-q', '--bare', bare])
    const [config, bareConfig] = [join(inner, '.git/config'), join(bare, 'config')].map((path) =>
      readFileSync(path, 'utf8'),
    )
    const result = await run(
      b,
      way,
      folder,
      [
        'cd deep/er/repo',
        'git config core.fsmonitor x',
        'echo x >.git/hooks/post-commit',
        'echo x >../../bare.git/config',
        'mv ../../bare.git ../../b2',
        'cd ../../..',
        'mv deep/er deep/other',
        'cd deep/er/repo',
        'echo two >two && git add two && git -c user.name=a -c user.email=a@b commit -qm two',
      ].join('; '),
    )
    expect(result?.ok, JSON.stringify(result)).toBe(true)
    expect(readFileSync(join(inner, '.git/config'), 'utf8')).toBe(config)
    expect(existsSync(join(inner, '.git/hooks/post-commit'))).toBe(false)
    expect(readFileSync(join(bare, 'config'), 'utf8')).toBe(bareConfig)
    expect(git(inner, 'log', '-1', '--format=%s').trim()).toBe('two')
  })

  it.each([
    ['a repository', 'git init -q new && git -C new config core.fsmonitor x', 'new/.git'],
    ['a file that leads to one', 'mkdir docs && echo gitdir: ../x >docs/.git', 'docs/.git'],
    ['a bare repository', 'git init -q --bare new/bare', 'new/bare/'],
    ['a HEAD in the place of a folder', 'rm -r near/HEAD; cp old/HEAD near/HEAD', 'near/HEAD'],
    ['a folder of git beside a HEAD', 'echo ../x >old/commondir', 'old/commondir'],
    [
      'git folders of submodules',
      'mkdir -p repo/.git/modules/m && cp ours repo/.git/modules/m/config',
      'repo/.git/modules',
    ],
    ['a repository in a folder that is denied', 'mkdir .aws && git init -q .aws/new', '.aws/new/.git'],
    ['what a file leads to', 'mkdir -p store/hooks', 'store'],
    [
      'a bare repository with programs for folders',
      'mkdir new && cp old/HEAD new/ && touch new/objects new/refs && chmod 755 new/objects new/refs',
      'new/',
    ],
    [
      'a bare repository beside a .git that is none',
      'mkdir none/objects none/refs && cp old/HEAD none/',
      'none/',
    ],
    ['a repository inside that of another', 'git init -q --bare repo/.git/inner', 'repo/.git/inner/'],
    ['a repository among objects', 'git init -q --bare repo/.git/objects/in', 'repo/.git/objects/in/'],
  ])('%s that a command makes is set aside and named', async (_what, line, path) => {
    const { b, folder } = layOut(way)
    makeRepository(join(folder, 'repo'))
    writeFileSync(join(folder, 'ours'), '')
    mkdirSync(join(folder, 'old'))
    writeFileSync(join(folder, 'old', 'HEAD'), 'ref: refs/heads/main\n')
    for (const name of ['HEAD', 'objects', 'refs'])
      mkdirSync(join(folder, 'near', name, 'in'), { recursive: true })
    mkdirSync(join(folder, 'led'))
    mkdirSync(join(folder, 'none', '.git'), { recursive: true })
    writeFileSync(join(folder, 'led', '.git'), 'gitdir: ../store\n')
    const result = await run(b, way, folder, line)
    const found = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    const moved = found.filter((name) => /^(?:(?!\.refused\/).)*\.refused$/.test(name))
    expect(moved).toHaveLength(1)
    expect(moved[0]).toMatch(new RegExp(`^${path.replaceAll('.', '\\.')}`))
    expect(existsSync(join(folder, 'old', 'HEAD'))).toBe(true)
    expect(JSON.stringify(result)).toContain(moved[0])
    expect(newGitIn(folder)).toEqual([])
  })

  it('that a command makes are none under their new names either', async () => {
    const { b, folder } = layOut(way)
    const lines = [
      'git init -q new && git -C new config core.fsmonitor x && git init -q --bare new/.git/modules/m',
      'git init -q new/.git/closed && chmod 000 new/.git/closed/.git/refs new/.git/closed',
      'chmod 111 new/.git new',
    ]
    const result = await run(b, way, folder, lines.join(' && '))
    expect(JSON.stringify(result)).toContain('new/.git.refused')
    execFileSync('chmod', ['-R', 'u+rwx', folder])
    expect(newGitIn(folder)).toEqual([])
  })

  it('below a name that is not UTF-8 are set aside and named', async () => {
    const { b, folder } = layOut(way)
    const odd = `n="$(printf 'n\\377')"`
    const line = `${odd}; git init -q "$n/repo" && git init -q --bare "$n/bare" && git init -q "$n"`
    const result = await run(b, way, folder, line)
    const text = JSON.stringify(result)
    for (const name of ['repo/.git', 'bare/HEAD', '.git'])
      expect(text).toMatch(new RegExp(`n[^/]*/${name.replaceAll('.', '\\.')}\\.refused`))
    expect(newGitIn(folder)).toEqual([])
  })
})

/** The folders that git, asked there, takes for its own, without those of the repositories that were made beforehand. */
function newGitIn(folder: string): readonly string[] {
  const line = `find "$0" -type d -exec sh -c 'for d; do (cd "$d" && git rev-parse --absolute-git-dir); done' _ {} + 2>/dev/null; true`
  const env = { ...process.env, GIT_CONFIG_NOSYSTEM: '1', GIT_CONFIG_GLOBAL: '/dev/null' }
  const told = execFileSync('sh', ['-c', line, folder], { env, encoding: 'latin1' })
  const known = new Set(['', join(folder, 'repo', '.git')])
  return [...new Set(told.split('\n'))].filter((path) => !known.has(path))
}

describe('repositories below a folder that commands write directly', () => {
  const [[, way] = ['', { config: {}, folderOf: (b: Bench) => b.root }]] = WAYS

  it('a link in the place of git’s folder goes on leading there', async () => {
    const { b, folder } = layOut(way)
    const inner = makeRepository(join(folder, 'repo'))
    mkdirSync(join(folder, 'linked'))
    symlinkSync(join(inner, '.git'), join(folder, 'linked', '.git'))
    const fine = await run(b, way, folder, 'git -C linked log -1 --format=%s')
    expect(fine?.content).toContain('first')
    const result = await run(b, way, folder, 'cp -r repo/.git mine; ln -sfn ../mine linked/.git; sleep 60')
    expect(JSON.stringify(result)).toContain('linked/.git.refused')
  })

  it('that are too many are not left without protection', async () => {
    const { b, folder } = layOut(way)
    for (let at = 0; at <= 256; at++) mkdirSync(join(folder, `r${at}`, '.git'), { recursive: true })
    const result = await run(b, way, folder, 'echo >written')
    expect(result?.ok).toBe(false)
    expect(result?.content).toMatch(/more than 256 repositories/)
    expect(existsSync(join(folder, 'written'))).toBe(false)
  })
})
