import { describe, expect, it } from 'vitest'
import { parseCommand } from '../../../../src/core/command/parse-command.ts'
import { HARMLESS_ROWS, isHarmless } from '../../../../src/core/command/harmless/harmless-commands.ts'
import type { Command } from '../../../../src/core/tool.ts'
import { compileCover, prepareCall } from '../../../../src/policy/grants/cover.ts'
import { offerScopes } from '../../../../src/policy/grants/offer-scopes.ts'
import { HOSTILE_LINES, HOSTILE_WORDS } from './hostile-commands.ts'

const PREFIXES = HARMLESS_ROWS.map(({ words }) => words)

/** Whether any prefix that can be offered covers a command, or one is offered for it. */
function isOpen(command: Command): boolean {
  const call = { tool: 'run_shell', argsDigest: 'd', paths: [], command }
  const isOffered = offerScopes(call).some(({ scope }) => scope.kind === 'command')
  return isOffered || PREFIXES.some((words) => compileCover({ kind: 'command', words })(prepareCall(call)))
}

describe('commands that may be allowed by their beginning', () => {
  it('has more than 250 hostile commands to be tried with', () => {
    expect(HOSTILE_LINES.length + HOSTILE_WORDS.length).toBeGreaterThan(400)
  })

  it.each(HOSTILE_LINES)('no prefix covers the line %j', (text) => {
    expect(isOpen({ kind: 'line', text })).toBe(false)
  })

  it('no prefix covers the words of those lines where a program is started without a shell', () => {
    const open = HOSTILE_LINES.flatMap((text) => {
      const parsed = parseCommand(text)
      const own = parsed.ok && parsed.isPlain ? (parsed.commands[0]?.words ?? []) : []
      return own.length > 0 && isOpen({ kind: 'words', words: own }) ? [text] : []
    })
    expect(open).toEqual([])
  })

  it.each(HOSTILE_WORDS)('no prefix covers %j', (...words) => {
    expect(isOpen({ kind: 'words', words })).toBe(false)
  })

  it.each([
    'git status',
    'git status -sb',
    'git status --porcelain=v2 src',
    'git log',
    'git log -5',
    'git log -n 5 --oneline main..HEAD -- src/a.ts',
    'git log --since=yesterday --format="%h %an %s"',
    'git log -S foo -p',
    'git log -L 1,5:a.ts',
    'git diff --cached --stat',
    'git diff HEAD~1 -- a.ts',
    'git diff -U10',
    'git show HEAD:a.ts',
    'git branch -a',
    'git branch -vv',
    'git tag -l',
    'git ls-files -o --exclude-standard',
    'git rev-parse --abbrev-ref HEAD',
    'git blame -L 1,5 a.ts',
    'git grep -n -e foo -- src',
    'git grep -in foo',
    'ls',
    'ls -la src',
    'ls --hyperlink',
    'cat a b',
    'head -20 a',
    'head -n 5 a',
    'head -n -5 a',
    'tail -c +10 a',
    'wc -l a b',
    'grep -rn foo src --include=*.ts'.replace('*', '\\*'),
    'grep -A3 -B 3 foo a',
    "rg -n 'foo|bar' -g '*.ts' src",
    'rg --files',
    "find . -name '*.ts' -not -path './node_modules/*' -type f",
    'find . -maxdepth 2 -mtime -7 -print',
    'sort -u a',
    'sort -k2,2n -t, a',
    'uniq -c a',
    'cut -d, -f1,3 a',
    'diff -u a b',
    'sha256sum a',
    'stat -c %s a',
    'du -sh .',
    'date +%s',
    'date -u -Iseconds',
    'uname -a',
    'pwd',
    'echo -n hello --output=x -o x',
    "sed -n '10,20p' a",
    "sed -n '1,5p;10,$p' a b",
  ])('%j is understood, and offered', (text) => {
    expect(isOpen({ kind: 'line', text })).toBe(true)
  })

  it('every row is found by its own words', () => {
    for (const { words } of HARMLESS_ROWS) expect(isHarmless(words)).toBe(true)
    expect(new Set(PREFIXES.map((words) => words.join(' '))).size).toBe(PREFIXES.length)
  })

  it.each([
    { kind: 'words', words: ['ls'], isAltered: true },
    { kind: 'words', words: ['ls'], variables: ['A'] },
  ] as const)('words that do not say everything are not covered: %j', (command) => {
    expect(isOpen(command)).toBe(false)
  })

  it('no prefix covers a call that asks for network or further paths', () => {
    const call = {
      tool: 'run_shell',
      argsDigest: 'd',
      paths: [],
      command: { kind: 'words', words: ['ls'] },
    } as const
    const covers = compileCover({ kind: 'command', words: ['ls'] })
    expect(covers(prepareCall(call))).toBe(true)
    expect(covers(prepareCall({ ...call, isBeyond: true }))).toBe(false)
  })
})
