import { execFileSync, spawn, spawnSync } from 'node:child_process'
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { open } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { TOP } from '../../scripts/run-tool.ts'

const box = mkdtempSync(join(tmpdir(), 'tongs-bundle-'))
const installed = join(box, 'installed')
const root = join(box, 'root')

/** A package as it is installed: no sources, so whatever was left out of the bundle is missing. */
beforeAll(() => {
  mkdirSync(join(installed, 'bin'), { recursive: true })
  mkdirSync(root)
  for (const file of [
    'package.json',
    'bin/tongs.cjs',
    'bin/load-bundle.cjs',
    'bin/signature.cjs',
    'bin/help.txt',
  ])
    copyFileSync(join(TOP, file), join(installed, file))
  symlinkSync(join(TOP, 'node_modules'), join(installed, 'node_modules'))
  build()
  writeFileSync(join(root, 'a.txt'), 'one\ntwo\n')
})
afterAll(() => rmSync(box, { recursive: true, force: true }))

function build(): void {
  const words = [join(TOP, 'scripts/bundle.ts'), join(installed, 'dist/cli')]
  const made = spawnSync(process.execPath, words, { cwd: TOP, encoding: 'utf8' })
  if (made.status !== 0) throw new Error(made.stderr)
}

function tongs(...args: readonly string[]) {
  const env = { ...process.env, TONGS_STATE_DIR: join(box, 'state'), XDG_CONFIG_HOME: join(box, 'none') }
  const entry = join(installed, 'bin/tongs.cjs')
  return spawnSync(process.execPath, [entry, ...args, '--root', root], { cwd: root, encoding: 'utf8', env })
}

function call(tool: string, args: object): unknown {
  const { stdout, stderr } = tongs('call', tool, JSON.stringify(args), '--yes', '--json')
  if (stdout === '') throw new Error(stderr)
  return JSON.parse(stdout)
}

/** A length and a seal. */
const HEADER_BYTES = 36

/** The files of the bundle whose code a single command left in the cache, without their hashes. */
function chunksOf(cache: string): readonly string[] {
  const isCode = (path: string): boolean => basename(dirname(path)) === 'tongs'
  const file = readdirSync(cache, { recursive: true, encoding: 'utf8' }).find(isCode) ?? ''
  const bytes = readFileSync(join(cache, file))
  const { chunks } = JSON.parse(
    bytes.toString('utf8', HEADER_BYTES, HEADER_BYTES + bytes.readUInt32LE(0)),
  ) as {
    chunks: [string][]
  }
  return chunks.map(([name]) => name.replace(/(?:-[\w-]{8})?\.cjs$/, '')).toSorted()
}

describe('the bundled command line', () => {
  it('reads, searches and edits', () => {
    expect(call('read_file', { path: 'a.txt' })).toMatchObject({ ok: true, content: 'one\ntwo\n' })
    expect(call('search', { query: 'two' })).toMatchObject({ ok: true, result: { matches: [{ line: 2 }] } })
    expect(call('edit_file', { path: 'a.txt', old: 'two', new: '2' })).toMatchObject({ ok: true })
    expect(readFileSync(join(root, 'a.txt'), 'utf8')).toBe('one\n2\n')
  })

  it('loads for a read only what calls need, and no built-in module for processes or sockets', () => {
    const watch = join(box, 'watch.cjs')
    const seen = join(box, 'seen')
    writeFileSync(
      watch,
      `process.on('exit', () => require('node:fs').writeFileSync(${JSON.stringify(seen)}, process.moduleLoadList.join('\\n')))`,
    )
    const { NODE_COMPILE_CACHE: _, ...usual } = process.env
    const state = join(box, 'state of a read')
    // As many people have it: the programs that variables name are looked for before a call.
    const env = { ...usual, TONGS_STATE_DIR: state, XDG_CONFIG_HOME: join(box, 'none'), EDITOR: 'vi' }
    const entry = join(installed, 'bin/tongs.cjs')
    const words = ['-r', watch, entry, 'call', 'read_file', '{"path":"a.txt"}', '--root', root]
    expect(spawnSync(process.execPath, words, { cwd: root, env }).status).toBe(0)
    expect(chunksOf(join(state, 'compile-cache'))).toEqual(['call', 'main', 'rolldown-runtime'])
    const loaded = readFileSync(seen, 'utf8').split('\n')
    expect(loaded).toContain('NativeModule sqlite')
    for (const name of [
      'child_process',
      'net',
      'tty',
      'http',
      'readline',
      'worker_threads',
      'timers/promises',
    ])
      expect(loaded).not.toContain(`NativeModule ${name}`)
  })

  it('starts commands in the sandbox, with the programs that it needs for them', () => {
    expect(call('run_shell', { cmd: ['echo', 'here'] })).toMatchObject({
      ok: true,
      result: { stdout: 'here\n', sandbox: expect.stringContaining('bubblewrap') },
    })
  })

  it('warns of a syntax error in a language that a grammar knows', () => {
    expect(call('write_file', { path: 'b.py', content: 'def f(:\n' })).toMatchObject({
      ok: true,
      warnings: [expect.stringContaining('b.py')],
    })
  })

  it('is replaced without breaking a command that runs, which loads parts of it later', async () => {
    const pipe = join(box, 'calls')
    execFileSync('mkfifo', [pipe])
    const entry = join(installed, 'bin/tongs.cjs')
    const env = { ...process.env, TONGS_STATE_DIR: join(box, 'state'), XDG_CONFIG_HOME: join(box, 'none') }
    const words = [entry, 'batch', pipe, '--yes', '--json', '--root', root]
    const child = spawn(process.execPath, words, { cwd: root, env })
    let out = ''
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => (out += chunk))
    child.stderr.setEncoding('utf8').on('data', (chunk: string) => (out += chunk))
    const ended = new Promise((resolve) => child.on('close', resolve))
    // A pipe can be opened for writing once the command reads it.
    const writer = await open(pipe, 'w')
    build()
    const calls = [
      { id: '1', name: 'run_shell', args: { cmd: ['echo', 'still here'] } },
      { id: '2', name: 'write_file', args: { path: 'c.py', content: 'x = 1\n' } },
    ]
    await writer.writeFile(JSON.stringify(calls))
    await writer.close()
    expect([await ended, out]).toEqual([0, expect.stringContaining('still here')])
    expect(tongs('rules').status).toBe(0)
  })

  it('knows its faces: rules, grants, the doctor and the demo', () => {
    for (const args of [['rules'], ['tools'], ['doctor'], ['stats'], ['demo']])
      expect([args, tongs(...args).status]).toEqual([args, 0])
  })
})
