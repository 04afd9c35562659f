import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { bench } from '../../bench-folder.ts'
import { lp1 } from '../edits/edit-bench.ts'
import type { WatchedSummary } from './watched-summaries.ts'
import { shippedTools } from './shipped-tools.ts'

const EDIT = { path: 'a.txt', start_line: 1, end_line: 1, new_content: 'ONE' }

/** For each tool, calls whose summaries between them go every way. */
const SUMMARIZED: Readonly<Record<string, readonly object[]>> = {
  read_file: [{ path: 'a.txt' }, { path: 'missing', start_line: 1, end_line: 2 }],
  list_directory: [{ path: '.' }, { path: 'd', recursive: true }],
  list_files: [{}, { path: 'd' }],
  glob: [{ patterns: ['**'] }],
  replace: [{ old: 'one', new: 'two', paths: ['**/*.txt'] }],
  outline: [{ path: 'a.txt' }],
  search: [{ query: 'one' }, { query: 'one', path: 'd' }],
  search_tools: [{ query: 'note' }, { query: 'note', limit: 3 }],
  write_file: [
    { path: 'n.txt', content: 'x' },
    { path: 'a.txt', content: 'x', mode: 'append' },
  ],
  edit_file: [{ path: 'a.txt', old: 'one', new: 'ONE' }],
  edit_region: [EDIT],
  multi_edit: [{ edits: [EDIT] }, { edits: [EDIT, { ...EDIT, path: 'd/b.txt' }] }],
  apply_patch: [{ patch: lp1('F a.txt', 'R', 'one', '.', 'ONE', '.') }],
  delete_path: [{ path: 'd' }],
  move_path: [{ from: 'd', to: 'e' }],
  delegate: [{ task: 'look around' }, { task: 'look around', role: 'reader' }],
  run_command: [{ command: 'ls a.txt' }],
  run_shell: [{ cmd: ['ls', 'a.txt'] }, { cmd: ['ls'], background: true }, { handle: 'x', stop: true }],
  run_tests: [{}],
  todo_write: [{ action: 'create', title: 't' }, { action: 'list' }, { action: 'export' }],
  task: [{ action: 'create', title: 't' }, { action: 'list' }, { action: 'export', export_path: 'T.md' }],
  web_fetch: [{ url: 'https://example.com/a?b=c' }, { url: `https://example.com/${'a'.repeat(500)}` }],
}

/** Tools that break the promise, and what they are found by. */
const IMPURE = {
  looks_at_disk: 'fs.existsSync',
  writes: 'fs.mkdtempSync',
  reads_later: 'promises.stat',
  starts: 'childProcess.spawnSync',
  connects: 'global.fetch',
  prints: 'stdout.write',
  counts: 'something that changes',
  sets_environment: 'process.env',
  changes_arguments: 'TypeError',
} as const

let summaries: readonly WatchedSummary[] = []

beforeAll(() => {
  const b = bench({ 'a.txt': 'one\n', 'd/b.txt': 'two\n' })
  const wishes = [
    ...Object.entries(SUMMARIZED).flatMap(([name, calls]) => calls.map((args) => ({ id: name, name, args }))),
    ...Object.keys(IMPURE).map((name) => ({ id: name, name, args: { word: join(b.top, 'word-') } })),
  ]
  const child = join(import.meta.dirname, 'watched-summaries.ts')
  const options = { encoding: 'utf8', cwd: b.root, timeout: 20_000 } as const
  summaries = JSON.parse(
    execFileSync(process.execPath, [child, JSON.stringify(wishes)], options),
  ) as readonly WatchedSummary[]
})

const summariesOf = (name: string): readonly WatchedSummary[] => summaries.filter(({ id }) => id === name)

describe('the summary of a call, written in a watched process', () => {
  it('is asked of every tool that ships', () => {
    expect(Object.keys(SUMMARIZED).toSorted(), 'SUMMARIZED has to have a call of each').toEqual(
      shippedTools.map(({ name }) => name).toSorted(),
    )
  })

  it.each(Object.keys(SUMMARIZED))('FR-REG-01a: %s writes it without touching anything', (name) => {
    const found = summariesOf(name)
    expect(found).toHaveLength(SUMMARIZED[name]?.length ?? 0)
    for (const { text, used } of found) {
      expect(used).toEqual([])
      expect(text).toMatch(/\S/)
    }
  })

  it.each(Object.entries(IMPURE))('a tool whose summary %s is found', (name, what) => {
    const [found] = summariesOf(name)
    expect(found?.used.join()).toContain(what)
  })
})
