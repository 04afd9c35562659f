import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import type { ToolResult } from '../../../src/core/result.ts'
import { errorOf } from '../../bench-folder.ts'
import { makeShop, shopHere } from './command-line.ts'
import type { Shop } from './command-line.ts'
import { someOf } from '../../harness/long-run.ts'

function shop(files: Readonly<Record<string, string>>): Shop {
  const made = makeShop(files)
  onTestFinished(made.remove)
  return shopHere(made)
}

const run = (line: string) => [{ id: 'c', name: 'run_shell', args: { cmd: ['sh', '-c', line] } }]
const resultOf = (row: ToolResult | undefined) => (row?.ok === true ? row.result : null)
const THROUGH = ['--set', 'tools.shell.passthrough=["out","new/deep"]'] as const

describe('a folder that commands write directly', () => {
  it('is named in the question and the result, and what is written there is no change', async () => {
    const s = shop({ 'a.txt': 'one\n', 'out/old': 'old' })
    const line = 'echo 1 >out/log; echo 1 >new/deep/log; rm out/old; echo two >a.txt'
    const first = await s.batch(run(line), ...THROUGH)
    expect(first.code).toBe(4)
    expect(s.get('out/log')).toBeNull()
    const { out } = await s.tongs(['pending'])
    expect(out.replaceAll(/\s+/g, ' ')).toContain('writing out, new/deep directly, which is not undone')
    const { code, rows } = await s.tongs(['approve', 'all', '--json', ...THROUGH])
    expect(code).toBe(0)
    expect(resultOf(rows[0])).toMatchObject({
      layer: 'overlay',
      sandbox: expect.stringContaining('writing out, new/deep directly'),
      changes: [{ path: 'a.txt', change: 'modified' }],
    })
    expect([s.get('out/log'), s.get('new/deep/log'), s.get('out/old')]).toEqual(['1\n', '1\n', null])
    await s.tongs(['undo', '--yes', '--json', '--session', 'cli'])
    expect([s.get('a.txt'), s.get('out/log')]).toEqual(['one\n', '1\n'])
  })

  it.for(someOf(['a link out of the root', 'a link in the root', 'outside the root', 'denied'] as const, 2))(
    'is refused if it is %s',
    async (what) => {
      const s = shop({ 'real/file': '1' })
      const outside = join(dirname(s.root), 'outside')
      mkdirSync(outside)
      symlinkSync(outside, join(s.root, 'out'))
      symlinkSync('real', join(s.root, 'in'))
      const path = {
        'a link out of the root': 'out',
        'a link in the root': 'in',
        'outside the root': '../outside',
        denied: '.ssh',
      }[what]
      const { code, rows } = await s.batch(
        run(`echo 1 >${path}/f; echo 1 >f`),
        '--yes',
        '--set',
        `tools.shell.passthrough=["${path}"]`,
      )
      expect(code).not.toBe(0)
      expect(errorOf(rows[0]).message).toContain('tools.shell.passthrough')
      expect([readdirSync(outside), s.get('f'), s.get('real/f')]).toEqual([[], null, null])
    },
  )
})

/** A workspace that needs a package, and a cache of npm that has it. */
function shopWithPackage(): Shop & { readonly cache: string } {
  const s = shop({
    'package.json': JSON.stringify({ name: 'app', version: '1.0.0', dependencies: { answer: '1.0.0' } }),
  })
  const home = dirname(s.root)
  const made = join(home, 'package')
  const cache = join(home, '.npm')
  mkdirSync(made)
  writeFileSync(
    join(made, 'package.json'),
    JSON.stringify({ name: 'answer', version: '1.0.0', main: 'main.js' }),
  )
  writeFileSync(join(made, 'main.js'), 'module.exports = 42\n')
  const env = { ...process.env, HOME: home, npm_config_cache: cache }
  const npm = (...words: readonly string[]) => execFileSync('npm', words, { cwd: made, env, stdio: 'pipe' })
  npm('pack', '--silent')
  const packed = join(made, 'answer-1.0.0.tgz')
  npm('cache', 'add', packed)
  const integrity = `sha512-${createHash('sha512').update(readFileSync(packed)).digest('base64')}`
  const resolved = 'https://packages.example/answer/-/answer-1.0.0.tgz'
  const top = { name: 'app', version: '1.0.0', dependencies: { answer: '1.0.0' } }
  const packages = { '': top, 'node_modules/answer': { version: '1.0.0', resolved, integrity } }
  s.put('package-lock.json', JSON.stringify({ ...top, lockfileVersion: 3, requires: true, packages }))
  vi.stubEnv('HOME', home)
  vi.stubEnv('npm_config_cache', cache)
  onTestFinished(() => {
    vi.unstubAllEnvs()
  })
  return { ...s, cache }
}

const filesIn = (folder: string): readonly string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' }).toSorted()

describe('the cache of a package manager', () => {
  it.for(someOf(['read', 'layer', 'none'] as const, 1))(
    'lets commands install offline, and nothing gets into it (%s)',
    async (how) => {
      const s = shopWithPackage()
      writeFileSync(join(s.cache, '_cacache/.env'), 'SECRET')
      const before = filesIn(s.cache)
      const line =
        'npm ci --offline >/dev/null 2>&1 || echo failed; cat "$npm_config_cache"/_cacache/.env; echo x 2>/dev/null >"$npm_config_cache"/_cacache/poison && echo written'
      // Set again: each command of the shop ends with the variables that it began with.
      vi.stubEnv('HOME', dirname(s.root))
      vi.stubEnv('npm_config_cache', s.cache)
      const { rows } = await s.batch(run(line), '--yes', '--set', `tools.shell.caches=${how}`)
      const said = { read: '', layer: 'written\n', none: 'failed\n' }[how]
      expect(resultOf(rows[0])).toMatchObject({ stdout: said, layer: 'overlay' })
      expect(s.get('node_modules/answer/main.js')).toBe(how === 'none' ? null : 'module.exports = 42\n')
      expect(filesIn(s.cache)).toEqual(before)
      expect(existsSync(join(s.cache, '_cacache/poison'))).toBe(false)
    },
  )

  it.for([
    ['overlay', 'kept\nwritten\n'],
    ['off', 'written\n'],
  ] as const)('lets a command with network store what it downloads (layer %s)', async ([layer, said]) => {
    const s = shopWithPackage()
    writeFileSync(join(s.cache, '_cacache/known'), 'kept\n')
    const before = filesIn(s.cache)
    const line =
      'c=${npm_config_cache:-$HOME/.npm}/_cacache; cat $c/known 2>/dev/null; mkdir -p $c && echo written >$c/new && cat $c/new'
    const [call] = run(line)
    vi.stubEnv('HOME', dirname(s.root))
    vi.stubEnv('npm_config_cache', s.cache)
    const calls = [{ ...call, args: { ...call?.args, network: true } }]
    const set = layer === 'off' ? ['--set', 'tools.shell.layer=off'] : []
    const { rows } = await s.batch(calls, '--yes', ...set)
    expect(resultOf(rows[0])).toMatchObject({ stdout: said, layer: layer === 'off' ? 'none' : 'overlay' })
    expect(filesIn(s.cache)).toEqual(before)
  })

  /** A file in each cache, and where its package manager is told to look for it. */
  const CANARIES = {
    pip: ['.cache/pip/http-v2/a/canary', '$PIP_CACHE_DIR/http-v2/a/canary'],
    cargo: ['.cargo/registry/cache/index/canary', '$CARGO_HOME/registry/cache/index/canary'],
    go: ['go/pkg/mod/cache/download/canary', '$GOMODCACHE/cache/download/canary'],
  } as const

  it.for(someOf(['read', 'layer', 'none'] as const, 1))(
    'of pip, cargo and go is read where its variable says, and never changed (%s)',
    async (how) => {
      const s = shop({})
      const home = dirname(s.root)
      const places = Object.values(CANARIES).map(([path]) => join(home, path))
      for (const [at, place] of places.entries()) {
        mkdirSync(dirname(place), { recursive: true })
        writeFileSync(place, `canary ${at}\n`)
      }
      // Beside the downloads are the keys of the person who publishes.
      writeFileSync(join(home, '.cargo/credentials.toml'), 'SECRET')
      const names = Object.values(CANARIES).map(([, name]) => `"${name}"`)
      const line = `cat ${names.join(' ')} "$CARGO_HOME/credentials.toml" 2>/dev/null; for f in ${names.join(' ')}; do { echo poison >"$f"; echo poison >"$f-2"; rm "$f"; } 2>/dev/null; done; true`
      const before = ['.cache', '.cargo', 'go'].map((name) => filesIn(join(home, name)))
      vi.stubEnv('HOME', home)
      for (const name of ['XDG_CACHE_HOME', 'PIP_CACHE_DIR', 'CARGO_HOME', 'GOPATH', 'GOMODCACHE'])
        vi.stubEnv(name, undefined)
      onTestFinished(() => {
        vi.unstubAllEnvs()
      })
      const { rows } = await s.batch(run(line), '--yes', '--set', `tools.shell.caches=${how}`)
      const said = how === 'none' ? '' : 'canary 0\ncanary 1\ncanary 2\n'
      expect(resultOf(rows[0])).toMatchObject({ stdout: said, changes: [] })
      expect(places.map((place) => readFileSync(place, 'utf8')).join('')).toBe(
        'canary 0\ncanary 1\ncanary 2\n',
      )
      expect(['.cache', '.cargo', 'go'].map((name) => filesIn(join(home, name)))).toEqual(before)
    },
  )

  it('is named by the doctor', async () => {
    const s = shopWithPackage()
    const { out } = await s.tongs(['doctor', '--json'])
    const said = JSON.parse(out) as Record<string, unknown>
    expect(said['package_caches']).toEqual([`npm: ${join(s.cache, '_cacache')} (read-only)`])
    expect(said['command_layer']).toContain('overlay')
  })
})
