import { parseUnittest } from '../test-reports/parse-unittest.ts'
import { importsModule, sourcesOf } from './pytest.ts'
import { runnerProgramOf } from './test-runner.ts'
import type { Composed, Selection, TestRunner } from './test-runner.ts'

const TEST_FILE = /^test.*\.py$/
const MOST_FILES = 50

/** Python's own test framework, for tests that nothing in the project hands to pytest. */
export const unittest: TestRunner = {
  name: 'unittest',
  looksFor: 'files named like test_a.py that import unittest',
  async detect(project) {
    const found = await project.find((name) => TEST_FILE.test(name), MOST_FILES)
    const texts = found.map((path) => project.read(path) ?? '')
    if (texts.some((text) => importsModule(text, 'pytest'))) return null
    const at = texts.findIndex((text) => importsModule(text, 'unittest'))
    if (at === -1) return null
    const why = `${found[at] ?? ''} imports unittest`
    return { is: 'found', argv: ['python3', '-m', 'unittest'], why, env: sourcesOf(project) }
  },
  recognises: (argv) => runnerProgramOf(argv) === 'unittest',
  compose,
  parse: parseUnittest,
  env: { PYTHONDONTWRITEBYTECODE: '1' },
}

function compose(argv: readonly string[], selection: Selection): Composed {
  const words = argv.filter((word) => !/^(?:-f|--failfast|-q|--quiet|-v|--verbose)$/.test(word))
  if (selection.is === 'all') return { ok: true, argv: words }
  if (selection.is === 'name') return { ok: true, argv: [...words, `-k${selection.text}`] }
  const own = words.slice(0, words.indexOf('unittest') + 1)
  if (selection.isFolder) return { ok: true, argv: [...own, 'discover', `-s./${selection.path}`, '-t.'] }
  const module = selection.path.replace(/\.py$/, '').replaceAll('/', '.')
  if (module.startsWith('-'))
    return { ok: false, problem: 'the name of a module does not begin with a hyphen' }
  return { ok: true, argv: [...own, module] }
}
