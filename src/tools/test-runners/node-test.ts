import { compileGlob, parseGlob } from '../../core/glob/glob.ts'
import { parseTap } from '../test-reports/parse-tap.ts'
import { readPackage } from './package-json.ts'
import { plainPath, withoutOptions } from './test-runner.ts'
import type { Composed, Project, Selection, TestRunner } from './test-runner.ts'

const TEST_FILE = /(^|[._-])test\.[cm]?[jt]s$/
const UNWANTED = /^--(?:watch|test-reporter|test-reporter-destination)(?:=|$)/
const WITH_VALUE = /^--test-reporter(?:-destination)?$/
/** Options that take the next word, which is then not a file. */
const OPTION_VALUE = /^(?:-r|--require|--import|--loader|--experimental-loader|-C|--conditions|--env-file)$/

/** The runner built into Node. */
export const nodeTest: TestRunner = {
  name: 'node',
  looksFor: '`node --test` as the test script of package.json, or files named like a.test.js',
  async detect(project) {
    const facts = readPackage(project)
    const text = facts?.scripts.get(facts.testName ?? '') ?? ''
    if (usesNodeTest(text))
      return {
        is: 'found',
        argv: ['node', '--test'],
        why: 'the test script of package.json uses node --test',
      }
    const [first] = await project.find((name) => TEST_FILE.test(name), 1)
    if (first === undefined) return null
    // Another script may run files of these names with a different runner.
    if (text !== '' && !/['"]node:test['"]/.test(project.read(first) ?? '')) return null
    return { is: 'found', argv: ['node', '--test'], why: `there is ${first}` }
  },
  recognises: (argv) => /(^|\/)(?:node|tsx)$/.test(argv[0] ?? '') && argv.includes('--test'),
  compose,
  parse: parseTap,
  runsOn: 'node',
}

/** Options come before the first file, so they go right after the program. */
function compose([program = 'node', ...all]: readonly string[], selection: Selection): Composed {
  const rest = withoutOptions(all, UNWANTED, WITH_VALUE)
  const isOption = (word: string, at: number): boolean =>
    word.startsWith('-') || OPTION_VALUE.test(rest[at - 1] ?? '')
  const words = selection.is === 'path' ? rest.filter(isOption) : rest
  return {
    ok: true,
    argv: [
      program,
      '--test-reporter=tap',
      '--test-reporter-destination=stdout',
      ...(selection.is === 'name' ? [`--test-name-pattern=${selection.text}`] : []),
      ...words,
      ...(selection.is === 'path' ? filesOf(selection) : []),
    ],
  }
}

/** Older versions of Node do not expand patterns. */
function filesOf({ path, isFolder, tests = [] }: Extract<Selection, { is: 'path' }>): readonly string[] {
  if (!isFolder) return [plainPath(path)]
  return tests.length > 0
    ? tests.map(plainPath)
    : [plainPath(`${path}/**/*{.,-,_}test.{js,mjs,cjs,ts,mts,cts}`)]
}

const SOURCE_FILE = /\.[cm]?[jt]s$/
const MOST_FILES = 300
/** A script with more of them is not read any further: each is held against each file. */
const MOST_PATTERNS = 100

/** The tests in a folder, by the names that Node knows; none if there are too many to list. */
export async function listNodeTests(project: Project, folder: string): Promise<readonly string[]> {
  const found = await project.find((name) => SOURCE_FILE.test(name), 20 * MOST_FILES)
  const tests = found.filter((path) => path.startsWith(`${folder}/`) && isNodeTest(path))
  return tests.length > MOST_FILES ? [] : tests
}

function isNodeTest(path: string): boolean {
  const [name = '', ...folders] = path.split('/').toReversed()
  return TEST_FILE.test(name) || name.startsWith('test-') || folders.includes('test')
}

/** The words with patterns replaced by the files they match, as a shell does it. */
export async function expandPatterns(project: Project, words: readonly string[]): Promise<readonly string[]> {
  const patterns = words.filter(isPattern).length
  if (patterns === 0 || patterns > MOST_PATTERNS) return words
  const found = await project.find((name) => SOURCE_FILE.test(name), 20 * MOST_FILES)
  const expanded = words.flatMap((word) => {
    if (!isPattern(word)) return [word]
    const parsed = parseGlob(word.replace(/^\.\//, ''))
    const files = parsed.ok ? found.filter(compileGlob(parsed.glob)) : []
    return files.length === 0 ? [word] : files
  })
  return expanded.length > MOST_FILES ? words : expanded
}

function isPattern(word: string): boolean {
  return !word.startsWith('-') && /[*?{[]/.test(word)
}

function usesNodeTest(script: string): boolean {
  return script.split('\n').some((line) => {
    const at = line.search(/\bnode\b/)
    return at !== -1 && /\s--test\b/.test(line.slice(at))
  })
}
