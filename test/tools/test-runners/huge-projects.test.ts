import { describe, expect, it } from 'vitest'
import { benchAskingBefore, outputOf } from '../../bench-folder.ts'
import { someOf } from '../../harness/long-run.ts'

/** What finding out how a project is tested reads. */
const FILES = [
  'package.json',
  'pyproject.toml',
  'pytest.ini',
  'setup.cfg',
  'tox.ini',
  'go.mod',
  'Cargo.toml',
  'Makefile',
  'justfile',
  'test_1.py',
  'tests/conftest.py',
  'src/a.test.js',
  'build.gradle',
  'pom.xml',
  'Rakefile',
  '.rspec',
  'CMakeLists.txt',
  'mix.exs',
]
const BYTES = 1_000_000
/** Each makes a search that begins anew at every place read on to the end each time. */
const FILLERS: readonly (readonly [string, string])[] = [
  ['line ends', '\n'],
  ['blanks', ' '],
  ['tabs and line ends', '\t\r\n'],
  ['one long word', 'a'],
  ['headings that are not closed', '['],
  ['settings without a name', '=\n'],
  ['targets', 'a:\n'],
  ['line continuations', '\\\n'],
  ['quotes', '"'],
  ['comments', '# '],
]

const fill = (piece: string): string =>
  piece.repeat(Math.ceil(BYTES / Buffer.byteLength(piece))).slice(0, BYTES)

describe('finding the tests of a hostile project ends soon', () => {
  it.each(someOf(FILLERS, 3))('if its files are full of %s', async (_what, piece) => {
    for (const start of ['', 'import unittest\n', '[pytest]\n']) {
      const b = benchAskingBefore(Object.fromEntries(FILES.map((name) => [name, start + fill(piece)])))
      expect(await b.call('run_tests', {}, {}, { dryRun: true })).toHaveProperty('execution')
    }
  })

  it.each([
    ...FILLERS,
    ['lines without a colon', 'a\n'],
    ['line ends of other scripts', '\u2028'],
    ['expansions that are not closed', '$('],
    ['blanks behind a sign', '! '],
  ] as const)('if a makefile with tests is full of %s', async (_what, piece) => {
    const b = benchAskingBefore({ Makefile: `test:\n\ttrue\n${fill(piece)}` })
    const output = outputOf(await b.call('run_tests', {}, {}, { dryRun: true }))
    expect(output).toMatchObject({ would_run: ['make', 'test'] })
  })

  it.each([
    ['nothing', ''],
    ['a letter', 'x'],
  ])('if the variables of a makefile name each other twice and lead to %s', async (_what, end) => {
    const doubled = Array.from({ length: 60 }, (_, at) => `a${at} = $(a${at + 1})$(a${at + 1})`).join('\n')
    const b = benchAskingBefore({ Makefile: `${doubled}\na60 = ${end}\ntest:\n\ttrue\n$(a0): x\n` })
    const output = outputOf(await b.call('run_tests', {}, {}, { dryRun: true }))
    expect(output).toMatchObject({ would_run: ['make', 'test'] })
  })

  it.each([
    [
      'call each other many times',
      { test: many('yarn a'), a: many('yarn b'), b: many('yarn c'), c: many('yarn d') },
    ],
    ['call themselves', { test: many('npm test') }],
    [
      'are long and called often',
      { test: many('yarn a'), a: many('yarn b'), b: `echo ${'x'.repeat(200_000)}` },
    ],
  ])('if its scripts %s', async (_what, scripts) => {
    const b = benchAskingBefore({
      'package.json': JSON.stringify({ scripts: { ...scripts, d: many('yarn e'), e: 'vitest' } }),
    })
    expect(await b.call('run_tests', {}, {}, { dryRun: true })).toHaveProperty('execution')
  })
})

function many(command: string): string {
  return Array.from({ length: 60 }, () => command).join('; ')
}
