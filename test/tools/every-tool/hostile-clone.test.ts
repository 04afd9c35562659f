import { execFileSync } from 'node:child_process'
import { statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { bench, errorOf, outputOf } from '../../bench-folder.ts'
import { ODD_FILES, putOdd } from '../../harness/odd-files.ts'
import { matchesOf, pathsOf } from '../finding/found.ts'
import { someOf } from '../../harness/long-run.ts'

const IGNORE_FILES = ['.gitignore', '.ignore', '.rgignore', '.git/info/exclude']
/** What finding a test runner, opening a repository and starting a conversation look at. */
const OTHERS = [
  'package.json',
  'pyproject.toml',
  'pytest.ini',
  'setup.cfg',
  'tox.ini',
  'go.mod',
  'Cargo.toml',
  'AGENTS.md',
  'CLAUDE.md',
  '.git/HEAD',
  '.git/config',
]

const KINDS = Object.keys(ODD_FILES)

describe.each(someOf(KINDS, 2))('in a clone with %s in the place of', (kind) => {
  it('the configuration, nothing runs, and the error says what to do', async () => {
    const b = bench()
    putOdd(join(b.root, '.tongs.toml'), kind)
    await expect(b.open()).rejects.toThrow(
      /\.tongs\.toml: cannot be read: .*(replace|make) it .*nothing was run/,
    )
  })

  it('every ignore file, at the top and below, files are found as if there were none, and it is said', async () => {
    const b = bench({ 'a.txt': 'needle', 'sub/b.txt': 'needle' })
    for (const name of IGNORE_FILES)
      for (const folder of ['', 'sub']) putOdd(join(b.root, folder, name), kind)
    const runtime = await b.open()
    const [listed, globbed, searched, byHand] = await runtime.run([
      { id: '1', name: 'list_files', args: {} },
      { id: '2', name: 'glob', args: { patterns: ['**/*.txt'] } },
      { id: '3', name: 'search', args: { query: 'needle' } },
      { id: '4', name: 'search', args: { query: 'needle', include_paths: ['sub'] } },
    ])
    const said = [expect.stringMatching(/^\S*ignore was (not honoured|honoured only)/)]
    for (const result of [listed, globbed, searched, byHand])
      expect(outputOf(result)).toMatchObject({ notes: expect.arrayContaining(said) })
    for (const result of [listed, globbed]) expect(pathsOf(result)).toEqual(['a.txt', 'sub/b.txt'])
    expect(matchesOf(searched).map(({ path }) => path)).toEqual(['a.txt', 'sub/b.txt'])
    expect(matchesOf(byHand).map(({ path }) => path)).toEqual(['sub/b.txt'])
  })

  it('an ignore file below the top only, which the search program meets by itself, a search ends', async () => {
    const b = bench({ 'a.txt': 'needle', 'sub/b.txt': 'needle' })
    putOdd(join(b.root, 'sub/.gitignore'), kind)
    expect(matchesOf(await b.call('search', { query: 'needle' })).map(({ path }) => path)).toEqual([
      'a.txt',
      'sub/b.txt',
    ])
  })

  it('any file that is looked at unasked, tools and tests answer', async () => {
    const b = bench({ 'a.txt': 'needle' })
    for (const name of OTHERS) putOdd(join(b.root, name), kind)
    const runtime = await b.open({
      approve: (requests) => requests.map(() => 'once'),
      config: { 'tools.git.timeout_seconds': 1, 'tools.shell.sandbox': 'none' },
    })
    const [tests, written, found] = await runtime.run([
      { id: '1', name: 'run_tests', args: {} },
      { id: '2', name: 'write_file', args: { path: 'new.txt', content: 'x' } },
      { id: '3', name: 'search', args: { query: 'needle' } },
    ])
    expect(tests?.ok).toBe(false)
    expect(written?.ok).toBe(true)
    expect(matchesOf(found)).toHaveLength(1)
  })

  it('git’s index, files are found and none is changed, because git may read what it names', async () => {
    const b = bench({ 'a.txt': 'needle' })
    execFileSync('git', ['init', '-q', b.root])
    putOdd(join(b.root, '.git/index'), kind)
    expect(matchesOf(await b.call('search', { query: 'needle' }))).toHaveLength(1)
    const refused = errorOf(await b.call('write_file', { path: 'new.txt', content: 'x' }))
    expect(refused.message).toMatch(/git's index in .* cannot be used/)
  })
})

describe('an ignore file that is too large', () => {
  const line = (at: number): string => `*x${at}?y/z*${at}`
  const rules = (bytes: number): string => {
    const lines: string[] = ['early.txt']
    for (let have = 0; have < bytes; have += (lines.at(-1) ?? '').length + 1) lines.push(line(lines.length))
    return [...lines, 'late.txt', ''].join('\n')
  }

  it.each(['', 'sub/'])('of 10 MB in folder %j is honoured in part, soon, and it is said', async (folder) => {
    const files = ['early.txt', 'late.txt', 'other.txt'].map((name) => [folder + name, 'needle'])
    const b = bench(Object.fromEntries(files))
    writeFileSync(join(b.root, folder, '.gitignore'), rules(10 * 1024 ** 2))
    expect(statSync(join(b.root, folder, '.gitignore')).size).toBeGreaterThan(10 * 1024 ** 2)
    const runtime = await b.open()
    const [listed, searched] = await runtime.run([
      { id: '1', name: 'list_files', args: {} },
      { id: '2', name: 'search', args: { query: 'needle' } },
    ])
    const shown = [`${folder}late.txt`, `${folder}other.txt`]
    const notes = [
      `${folder}.gitignore was honoured only in its first 262144 bytes, the limit for an ignore file; files that later lines name are found too.`,
    ]
    expect(pathsOf(listed)).toEqual(shown)
    expect(matchesOf(searched).map(({ path }) => path)).toEqual(shown)
    for (const result of [listed, searched]) expect(outputOf(result)).toMatchObject({ notes })
    expect(searched?.execution.duration_ms).toBeLessThan(20_000)
  })

  it('names a few, and counts the others', async () => {
    const folders = Array.from({ length: 8 }, (_, at) => `d${at}`)
    const large = '# comment\n'.repeat(30_000)
    const b = bench(
      Object.fromEntries(
        folders.flatMap((name) => [
          [`${name}/.ignore`, large],
          [`${name}/f`, 'x'],
        ]),
      ),
    )
    const { notes } = outputOf(await b.call('list_files', {})) as { notes: readonly string[] }
    expect(notes).toHaveLength(6)
    expect(notes.at(-1)).toBe('3 more ignore files were not honoured completely.')
  })

  it('of many rules is applied to thousands of names soon', async () => {
    const names = Array.from({ length: 4_000 }, (_, at) => [`f${at}.out`, ''])
    const b = bench({ ...Object.fromEntries(names), kept: '', '.gitignore': `*.out\n${rules(250_000)}` })
    const began = performance.now()
    const listed = await b.call('list_files', {})
    expect(pathsOf(listed)).toEqual(['kept'])
    expect(outputOf(listed)).toMatchObject({
      notes: [expect.stringContaining('honoured only in its first lines')],
    })
    // Rule by rule and name by name it takes minutes.
    expect(performance.now() - began).toBeLessThan(20_000)
  })
})
