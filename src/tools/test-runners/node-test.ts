import { parseTap } from '../test-reports/parse-tap.ts'
import { PACKAGE_PROGRAMS, readPackage } from './package-json.ts'
import { plainPath } from './test-runner.ts'
import type { Composed, Selection, TestRunner } from './test-runner.ts'

const TEST_FILE = /(^|[._-])test\.[cm]?[jt]s$/
const PLAIN_WORD = /^[\w@%+=:,./*{}?!()[\]-]+$/

/** The runner built into Node. */
export const nodeTest: TestRunner = {
  name: 'node',
  looksFor: '`node --test` as the test script of package.json, or files named like a.test.js',
  async detect(project) {
    const script = readPackage(project)?.testScript ?? ''
    const words = script.trim().split(/\s+/).map(unquote)
    if (words[0] === 'node' && words.includes('--test') && words.every((word) => PLAIN_WORD.test(word)))
      return { is: 'found', argv: words, why: 'the test script of package.json is node --test' }
    if (/\bnode\b.*\s--test\b/.test(script))
      return {
        is: 'found',
        argv: ['node', '--test'],
        why: 'the test script of package.json uses node --test',
      }
    // Another script may run files of these names with a different runner.
    if (script !== '' && !script.includes('no test specified')) return null
    const [first] = await project.find((name) => TEST_FILE.test(name), 1)
    return first === undefined ? null : { is: 'found', argv: ['node', '--test'], why: `there is ${first}` }
  },
  recognises: (argv) => /(^|\/)node$/.test(argv[0] ?? '') && argv.includes('--test'),
  compose,
  parse: parseTap,
  programs: PACKAGE_PROGRAMS,
}

/** Node expands patterns itself, so the quotes that keep a shell from doing it can go. */
function unquote(word: string): string {
  return (
    /^'([^']*)'$|^"([^"$`\\]*)"$/
      .exec(word)
      ?.slice(1)
      .find((inner) => inner !== undefined) ?? word
  )
}

/** Options come before the first file, so they go right after the program. */
function compose([program = 'node', ...rest]: readonly string[], selection: Selection): Composed {
  const words = selection.is === 'path' ? rest.filter((word) => word.startsWith('-')) : rest
  return {
    ok: true,
    argv: [
      program,
      '--test-reporter=tap',
      '--test-reporter-destination=stdout',
      ...(selection.is === 'name' ? [`--test-name-pattern=${selection.text}`] : []),
      ...words,
      ...(selection.is === 'path'
        ? [
            plainPath(
              selection.isFolder
                ? `${selection.path}/**/*{.,-,_}test.{js,mjs,cjs,ts,mts,cts}`
                : selection.path,
            ),
          ]
        : []),
    ],
  }
}
