import type { Composed, Project, Selection, TestRunner } from './test-runner.ts'
import { isJsonObject } from '../../core/json/value.ts'
import { clip, countsOf, NOWHERE, readPlace, reportOf, textIn } from '../test-reports/test-report.ts'
import type { Printed, TestCase, TestEnd, TestFailure, TestReport } from '../test-reports/test-report.ts'

const TEST_FILE = /(^|[-_])tests?([-_].*)?\.el$/
const DEFINES_TEST = /\(ert-deftest[\s\n]/
const MOST_FILES = 500
const SOURCE_FOLDERS = ['lisp', 'src', 'test', 'tests']

/** ERT, Emacs Lisp's own test framework, run by an Emacs without user configuration. */
export const ert: TestRunner = {
  name: 'ert',
  looksFor: 'files named like a-test.el that hold an ert-deftest',
  async detect(project) {
    const found = (await project.find((name) => TEST_FILE.test(name), MOST_FILES)).filter((path) =>
      DEFINES_TEST.test(project.read(path) ?? ''),
    )
    const [first] = found
    if (first === undefined) return null
    const loaded = found.flatMap((path) => ['-l', `./${path}`])
    return {
      is: 'found',
      argv: ['emacs', '-Q', '--batch', ...searchPath(project, found), ...loaded],
      why: `there is ${first}`,
    }
  },
  recognises: () => false,
  compose,
  parse: parseErt,
  machineStream: 'stdout',
}

/** The folders that `require` searches: the root, the usual ones, and those of the tests. */
function searchPath(project: Project, found: readonly string[]): readonly string[] {
  const folders = new Set(['.', ...SOURCE_FOLDERS.filter((name) => project.has(name))])
  for (const path of found) if (path.includes('/')) folders.add(path.slice(0, path.lastIndexOf('/')))
  return [...folders].flatMap((folder) => ['-L', folder === '.' ? '.' : `./${folder}`])
}

function compose(argv: readonly string[], selection: Selection): Composed {
  if (selection.is !== 'path') {
    const selector = selection.is === 'all' ? { ok: true as const, form: 't' } : readSelector(selection.text)
    if (!selector.ok) return selector
    return {
      ok: true,
      argv: [...argv.slice(0, 3), '-l', 'ert', ...argv.slice(3), '--eval', reporter(selector.form)],
    }
  }
  const inside = (word: string): boolean => {
    const path = word.slice(2)
    return path === selection.path || (selection.isFolder && path.startsWith(`${selection.path}/`))
  }
  const words = argv.filter((word, at) => {
    if (word === '-l') return inside(argv[at + 1] ?? '')
    return argv[at - 1] !== '-l' || inside(word)
  })
  const isKnown = words.includes('-l')
  const own = isKnown || selection.isFolder ? [] : ['-l', `./${selection.path}`]
  return {
    ok: true,
    argv: [...words.slice(0, 3), '-l', 'ert', ...words.slice(3), ...own, '--eval', reporter('t')],
  }
}

/** The words of ERT's selector language, without `satisfies`, which would call its argument. */
const SELECTOR_WORDS = ['tag', 'member', 'eql', 'and', 'or', 'not']

/** Turns a selector into Lisp data: a form in ERT's own language, a keyword, or otherwise a regular expression. */
function readSelector(
  text: string,
): { readonly ok: true; readonly form: string } | { readonly ok: false; readonly problem: string } {
  if (!text.startsWith('(') && !/^:(new|failed|passed|expected|unexpected)$/.test(text))
    return { ok: true, form: lispString(text) }
  if (text.startsWith(':')) return { ok: true, form: text }
  const isPlain = /^[()\s\w*+/<>=:.-]+$/.test(text.replaceAll(/"(?:[^"\\]|\\.)*"/g, ''))
  const isSafe = [...text.replaceAll(/"(?:[^"\\]|\\.)*"/g, '').matchAll(/\(\s*([^\s()]*)/g)].every(
    ([, word = '']) => SELECTOR_WORDS.includes(word),
  )
  if (isPlain && isSafe) return { ok: true, form: `(car (read-from-string ${lispString(text)}))` }
  return {
    ok: false,
    problem: `a selector in parentheses is made of ${SELECTOR_WORDS.join(', ')}, names and strings`,
  }
}

/** Only these two characters need escaping in a Lisp string. */
function lispString(text: string): string {
  return `"${text.replaceAll(/["\\]/g, '\\$&')}"`
}

/** Runs the tests and prints a line of JSON for each, with the location of its definition. */
function reporter(selector: string): string {
  return `(progn
  (require 'json)
  (require 'find-func)
  (let* ((stats (ert-run-tests-batch ${selector}))
         (tests (ert--stats-tests stats)))
    (princ "${ERT_MARK}{}\\n")
    (dotimes (i (length tests))
      (let* ((test (aref tests i))
             (name (ert-test-name test))
             (result (aref (ert--stats-test-results stats) i))
             (condition (and (ert-test-result-with-condition-p result)
                             (ert-test-result-with-condition-condition result)))
             (place (ignore-errors
                      (let* ((file (symbol-file name 'ert--test))
                             (found (find-function-search-for-symbol name 'ert--test file)))
                        (with-current-buffer (car found)
                          (cons file (line-number-at-pos (cdr found) t)))))))
        (princ (concat "${ERT_MARK}"
          (json-encode
            (list (cons 'name (symbol-name name))
                  (cons 'kind (cond ((ert-test-skipped-p result) "skipped")
                                    ((ert-test-result-expected-p test result) "passed")
                                    ((eq (car condition) 'ert-test-failed) "failed")
                                    (t "error")))
                  (cons 'file (car place))
                  (cons 'line (cdr place))
                  (cons 'message (if condition (truncate-string-to-width (prin1-to-string condition) 2000) ""))))
          "\\n"))))
    (kill-emacs (if (zerop (ert-stats-completed-unexpected stats)) 0 1))))`
}

/** The prefix of each line that our reporter prints. */
const ERT_MARK = 'tongs-ert '

const ENDS: Readonly<Record<string, TestEnd>> = {
  passed: 'passed',
  failed: 'failed',
  error: 'errors',
  skipped: 'skipped',
}

/** Reads what our reporter prints about ERT tests, or otherwise what ERT itself prints in batch mode. */
export function parseErt(printed: Printed): TestReport | null {
  const lines = printed.stdout.split('\n').filter((line) => line.startsWith(ERT_MARK))
  return lines.length > 0 ? reportOf(lines.flatMap(readLine)) : parseErtText(printed)
}

function readLine(line: string): readonly TestCase[] {
  let parsed: unknown
  try {
    parsed = JSON.parse(line.slice(ERT_MARK.length))
  } catch {
    return []
  }
  if (!isJsonObject(parsed)) return []
  const end = ENDS[textIn(parsed['kind'])]
  // The first line only announces a report; there may be no test.
  if (end === undefined) return []
  const { file, line: number } = parsed
  const failure = {
    name: textIn(parsed['name']),
    file: typeof file === 'string' ? file : null,
    line: typeof number === 'number' ? number : null,
    message: textIn(parsed['message']),
  }
  return [{ end, failure }]
}

const SUMMARY = /^Ran (\d+) tests?, (\d+) results? as expected(?:, (\d+) unexpected)?(?:, (\d+) skipped)?/m

/** Each failure searches the text for its condition, so the text is limited. */
const MOST_TEXT_CHARS = 262_144

/** ERT prints to stderr. */
function parseErtText({ stdout, stderr }: Printed): TestReport | null {
  const text = SUMMARY.test(stderr) ? stderr : stdout
  const match = SUMMARY.exec(text)
  if (match === null) return null
  const [passed, unexpected, skipped] = [match[2], match[3], match[4]].map((digits) => Number(digits ?? 0))
  const failures = [
    ...text
      .slice(0, MOST_TEXT_CHARS)
      .matchAll(/^ +FAILED +\d+\/\d+ +(\S+)(?: \([\d.]+ sec\))?(?: at (\S+))?/gm),
  ].map(([, name = '', place]): TestFailure => ({
    name,
    ...(place === undefined ? NOWHERE : readPlace(place)),
    message: clip(conditionOf(text.slice(0, MOST_TEXT_CHARS), name)),
  }))
  const errors = failures.filter(({ message }) => message !== '' && !message.startsWith('(ert-test-failed'))
  const failed = Math.max(0, (unexpected ?? 0) - errors.length)
  return {
    counts: countsOf({ passed: passed ?? 0, failed, errors: errors.length, skipped: skipped ?? 0 }),
    failures,
  }
}

function conditionOf(text: string, name: string): string {
  const start = text.indexOf(`Test ${name} condition:\n`)
  if (start === -1) return ''
  const rest = text.slice(text.indexOf('\n', start) + 1)
  const end = rest.search(/^ +(?:FAILED|QUIT) /m)
  return rest
    .slice(0, end === -1 ? 2000 : end)
    .replaceAll(/\s+/g, ' ')
    .trim()
}
