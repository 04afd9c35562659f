import { describe, expect, it } from 'vitest'
import { describeDiff } from '../../../src/agent/context/describe-diff.ts'
import { shortenResult } from '../../../src/agent/context/shorten-result.ts'
import type { ToolResult } from '../../../src/core/result.ts'
import { digest } from '../../../src/host/system/hash.ts'
import { bench } from '../../bench-folder.ts'
import type { Bench } from '../../bench-folder.ts'
import { agreed } from '../talk.ts'

const LONG = Array.from({ length: 80 }, (_, n) => `line ${n + 1} of a text`).join('\n')
const FILES = {
  'a.txt': `${LONG}\n`,
  'src/b.ts': `${'export const one = 1\n'.repeat(30)}`,
  ...Object.fromEntries(Array.from({ length: 60 }, (_, n) => [`many/file-${n}.txt`, 'needle\n'])),
}

/** The last of some calls, run one after the other. */
async function runLast(b: Bench, ...calls: readonly (readonly [name: string, args: object])[]) {
  const runtime = await b.open({
    ...agreed,
    config: { 'tools.approval.mode': 'auto', 'tools.run_command.enabled': true },
  })
  let last: ToolResult | undefined
  for (const [name, args] of calls) [last] = await runtime.run([{ id: '1', name, args }])
  if (last === undefined) throw new Error('no call')
  return last
}

const short = (result: ToolResult, isReplaced = false, isStored = true): string =>
  shortenResult(result, { isStored, isReplaced, digest: (text) => digest(text) })

describe('an older result is shortened by what it was', () => {
  it('a reading to its name, lines and hash, and the call that shows it again', async () => {
    const whole = await runLast(bench(FILES), ['read_file', { path: 'a.txt' }])
    const hash = digest(whole.content).slice(0, 12)
    expect(short(whole)).toBe(
      `[Shortened: a.txt, all of it, sha256 ${hash}. To see it again: read_file {"path":"a.txt"}]`,
    )
    const part = await runLast(bench(FILES), ['read_file', { path: 'a.txt', start_line: 3, end_line: 40 }])
    expect(short(part)).toMatch(
      /^\[Shortened: a\.txt, lines 3-40 of 80, sha256 \w{12}\. To see it again: read_file \{"path":"a\.txt","start_line":3,"end_line":40\}\]$/,
    )
    expect(short(part, true)).toBe(
      '[Shortened: a.txt, lines 3-40 of 80. These lines were read again later, see there.]',
    )
  })

  it('a search to its counts, also of files only', async () => {
    const lines = await runLast(bench(FILES), ['search', { query: 'needle' }])
    expect(short(lines)).toMatch(
      /^\[Shortened: 60 matches in 60 files: many\/file-0\.txt \(1\), .* and 52 more\. All of it: read_file \{"path":"tongs:output\/\w+"\}\]$/,
    )
    const files = await runLast(bench(FILES), ['search', { query: 'needle', mode: 'files' }])
    expect(short(files)).toContain('60 files with a match: many/')
    const counts = await runLast(bench(FILES), ['search', { query: 'one', mode: 'counts' }])
    expect(short(counts)).toBe(counts.content)
  })

  it('a command to how it ended and its last lines, without terminal sequences', async () => {
    const script = String.raw`seq 1 200; printf '\033[31mred\033[0m\n'; exit 3`
    const result = await runLast(bench(FILES), ['run_shell', { cmd: ['sh', '-c', script] }])
    const text = short(result)
    expect(text).toContain('a command, exit code 3. It ended:')
    expect(text).toContain('\n200\nred\n[exit code 3]\n')
    expect(text).not.toContain('\n150\n')
    expect(text).not.toContain('\u001B')
    const failed = await runLast(bench(FILES), ['run_command', { command: 'seq 1 300; exit 1' }])
    expect(short(failed)).toMatch(/run_command failed with execution_failed\. It ended:\n[\s\S]*300/)
  })

  it('an edit to its files and the lines that changed', async () => {
    const b = bench(FILES)
    const patched = { old: 'export const one', new: 'export const two', paths: ['src/**'] }
    const replaced = await runLast(b, ['replace', patched])
    expect(short(replaced)).toMatch(/^\[Shortened: changed: src\/b\.ts lines 1-30\. All of it: /)
  })

  it('a list to its length, and symbols to their number', async () => {
    const found = await runLast(bench(FILES), ['glob', { patterns: ['many/*'] }])
    expect(short(found)).toContain('60 entries')
    const outlined = await runLast(bench(FILES), ['outline', { path: 'src/b.ts' }])
    expect(short(outlined)).toMatch(/30 symbols in 1 files/)
  })

  it('tests to their counts and the names of those that failed', () => {
    const result: ToolResult = {
      id: '1',
      name: 'run_tests',
      ok: true,
      result: { total: 12, passed: 10, failed: 2, errors: 0, failures: [{ name: 'adds' }, { name: 'sums' }] },
      content: 'x'.repeat(400),
      execution: { id: 'e1', state: 'COMPLETED', duration_ms: 1 },
    }
    expect(short(result)).toContain('10 of 12 tests passed, 2 failed: adds, sums.')
    expect(short({ ...result, result: { odd: true } })).toContain(
      'run_tests succeeded and had 400 characters',
    )
    expect(short(result, false, false)).toContain('Call it again if the rest is needed.')
  })

  it('what is short already stays as it is, and no text holds an absolute path', async () => {
    const b = bench(FILES)
    const small = await runLast(b, ['run_shell', { cmd: ['echo', 'hi'] }])
    expect(short(small)).toBe('hi')
    for (const call of [
      ['read_file', { path: 'a.txt' }],
      ['list_files', {}],
      ['run_shell', { cmd: ['ls', 'many'] }],
    ] as const)
      expect(short(await runLast(b, call))).not.toContain(b.top)
  })
})

it.each([
  ['@@ -1,3 +1,3 @@\n a\n-b\n+c\n d', 'f line 2'],
  ['@@ -1 +1,2 @@\n+x\n a\n@@ -9,2 +10 @@\n a\n-b', 'f lines 1, 11'],
  ['@@ -1,2 +1,2 @@\n+x\n a\n-b', 'f lines 1, 3'],
  ['@@ -1,2 +1,2 @@\n--- x\n+++ y\n a', 'f line 1'],
])('the changed lines of %j are %s', (hunks, said) => {
  expect(describeDiff(`--- a/f\n+++ b/f\n${hunks}\n`)).toEqual([said])
})

it('files that a diff creates or removes have the name they have', () => {
  expect(
    describeDiff(
      '--- /dev/null\n+++ b/new\n@@ -0,0 +1 @@\n+x\n--- a/old\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n',
    ),
  ).toEqual(['new line 1', 'old line 1'])
})
