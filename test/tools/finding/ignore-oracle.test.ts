import { execFileSync } from 'node:child_process'
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { findRipgrep } from '../../../src/host/search/ripgrep.ts'
import { bench } from '../../bench-folder.ts'
import { pathsOf } from './found.ts'
import { roundsOf } from '../../harness/long-run.ts'

/** Starting a program takes longer than all else, so several trees, side by side, are judged at once. */
const TREES = 5
const RUNS = process.env['TONGS_LONG'] === '1' ? 2_000 : roundsOf(5, 15)

const NAMES = ['a', 'b', 'ab', 'a.b', 'b.c', '.x', 'foo', 'a b', 'a-', '[a]', '*x', '!z', '#c', 'abc', 'B']
/** What both git and the search program understand in the same way. */
const COMMON = ['a', 'b', 'ab', '*', '?', '**', '[ab]', '[a-c]', '.', 'foo', '*.b', '\\*', '-', 'B', 'abc']
const GIT_ONLY = [
  '[!a]',
  '[^b]',
  '\\[',
  '[]a]',
  '[[:alpha:]]',
  '[[:digit:]x]',
  '[a',
  '\\a',
  '\\!',
  ' ',
  '[b-a]',
]

const path = fc
  .array(fc.constantFrom(...NAMES), { minLength: 1, maxLength: 4 })
  .map((parts) => parts.join('/'))

/** Random lines; two stars only alone in a name, because git itself is at odds with its manual about others. */
function ignoreText(pieces: readonly string[], ends: readonly string[]): fc.Arbitrary<string> {
  const name = fc
    .array(fc.constantFrom(...pieces), { minLength: 1, maxLength: 3 })
    .map((parts) => parts.join(''))
    .filter((text) => !text.includes('**') || text === '**')
  const line = fc
    .tuple(
      fc.constantFrom('', '', '', '!'),
      fc.constantFrom('', '', '/'),
      fc.array(name, { minLength: 1, maxLength: 3 }).map((names) => names.join('/')),
      fc.constantFrom('', '', '/'),
      fc.constantFrom(...ends),
    )
    .map((parts) => parts.join(''))
  return fc
    .array(fc.oneof(line, fc.constantFrom('', '# x')), { maxLength: 6 })
    .map((lines) => lines.join('\n'))
}

interface Tree {
  readonly files: readonly string[]
  readonly ignores: readonly (readonly [string, string, string])[]
  readonly exclude: string
}

function trees(kinds: readonly string[], text: fc.Arbitrary<string>): fc.Arbitrary<readonly Tree[]> {
  const ignore = fc.tuple(fc.oneof(fc.constant('.'), path), fc.constantFrom(...kinds), text)
  const tree = fc.record({
    files: fc.uniqueArray(path, { minLength: 1, maxLength: 12 }),
    ignores: fc.array(ignore, { minLength: 1, maxLength: 4 }),
    exclude: text,
  })
  return fc.array(tree, { minLength: 1, maxLength: TREES })
}

function layAll(root: string, all: readonly Tree[]): void {
  for (const name of readdirSync(root)) if (name !== '.git') rmSync(join(root, name), { recursive: true })
  for (const [at, tree] of all.entries()) lay(join(root, `t${at}`), tree)
}

function lay(root: string, { files, ignores }: Tree): void {
  const put = (file: string, text: string): void => {
    try {
      mkdirSync(dirname(join(root, file)), { recursive: true })
      writeFileSync(join(root, file), text)
    } catch {
      // The name is taken by a file where a folder is wanted, or the other way round.
    }
  }
  for (const file of files) put(file, 'x')
  for (const [folder, kind, text] of ignores) put(join(folder, kind), text)
}

function splitNames(output: string): readonly string[] {
  return output.split('\0').filter((name) => name !== '')
}

describe('what is ignored', () => {
  it('F-SAFE-IGNORE: in a repository exactly what git ignores is left out', async () => {
    const b = bench()
    const git = (...args: readonly string[]): string =>
      execFileSync('git', ['-c', 'core.excludesFile=/dev/null', ...args], { cwd: b.root, encoding: 'utf8' })
    git('init', '-q')
    const runtime = await b.open()
    const text = ignoreText([...COMMON, ...GIT_ONLY], ['', '', ' ', '\\ ', '\r'])
    await fc.assert(
      fc.asyncProperty(trees(['.gitignore'], text), async (all) => {
        layAll(b.root, all)
        writeFileSync(join(b.root, '.git/info/exclude'), all[0]?.exclude ?? '')
        const args = { include_hidden: true, max_depth: 50 }
        const [result] = await runtime.run([{ id: '1', name: 'list_files', args }])
        const listed = splitNames(git('ls-files', '-co', '--exclude-standard', '-z'))
        expect(pathsOf(result)).toEqual(listed.toSorted())
      }),
      { numRuns: RUNS },
    )
  })

  it('F-SAFE-IGNORE: anywhere, the same files are left out that the search program leaves out', async () => {
    const b = bench()
    const runtime = await b.open()
    const program = (await findRipgrep()) ?? ''
    const options = ['--no-config', '--files', '--hidden', '--no-require-git', '--no-ignore-parent', '--null']
    const text = ignoreText(COMMON, [''])
    await fc.assert(
      fc.asyncProperty(trees(['.gitignore', '.ignore', '.rgignore'], text), async (all) => {
        layAll(b.root, all)
        const [result] = await runtime.run([
          { id: '1', name: 'list_files', args: { include_hidden: true, max_depth: 50 } },
        ])
        expect(pathsOf(result)).toEqual(runProgram(program, options, b.root).toSorted())
      }),
      { numRuns: RUNS },
    )
  })
})

/** Its exit code is 1 where it lists nothing. */
function runProgram(program: string, options: readonly string[], root: string): readonly string[] {
  const command = `"$0" "$@" ./ || true`
  const output = execFileSync('sh', ['-c', command, program, ...options], { cwd: root, encoding: 'utf8' })
  return splitNames(output).map((name) => name.slice(2))
}
