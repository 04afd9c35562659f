import type { Settings } from '../../config/keys.ts'
import { failure } from '../../core/error.ts'
import type { Files } from '../../core/powers.ts'
import { isNamedLikeTest } from './test-runner.ts'
import { openProject } from './open-project.ts'
import type { Detection, Project, RunnerName, Selection, TestRunner } from './test-runner.ts'
import { cargo } from './cargo.ts'
import { ert } from './ert.ts'
import { go } from './go.ts'
import { jest } from './jest.ts'
import { nodeTest } from './node-test.ts'
import { pytest } from './pytest.ts'
import { vitest } from './vitest.ts'

/** What was requested, and where. */
export interface TestRequest {
  readonly selector: string | null
  /** The words that run the tests, from the call or the configuration; null to detect them. */
  readonly command: readonly string[] | null
  /** Relative to the root. */
  readonly folder: string
  readonly files: Files
  readonly settings: Settings
  readonly signal: AbortSignal
}

/** A test run that is ready to start. */
export interface TestPlan {
  /** Null for an unknown command; its report is then recognized by its format. */
  readonly runner: TestRunner | null
  readonly argv: readonly string[]
  /** The command as it was found or configured; with the selector, if that may start something else than tests. */
  readonly stem: readonly string[]
  readonly selection: Selection
}

/** Where the selector goes in a configured command. */
const PLACEHOLDER = '{selector}'

/**
 * Decides which command runs which tests. Throws a ToolFailure that says what was looked for, or what is wrong with
 * the selector.
 */
export async function planTests(request: TestRequest): Promise<TestPlan> {
  const { settings } = request
  const project = openProject(request)
  const selection = select(request.selector, project)
  const forced = settings['tools.run_tests.runner']
  if (request.command !== null) {
    const runner = forced === 'auto' ? recogniseRunner(request.command) : runnerNamed(forced)
    const isKnown = runner?.recognises(request.command) === true
    if (isKnown && !request.command.some((word) => word.includes(PLACEHOLDER)))
      return planOf(runner, request.command, selection)
    // What an unknown command makes of a further word cannot be told.
    const argv = fillIn(request.command, request.selector)
    return { runner, selection, stem: argv, argv }
  }
  const found = await findRunner(project, forced === 'auto' ? null : forced)
  if (found.is === 'found') {
    return planOf(found.runner, found.argv, selection)
  }
  const candidates = RUNNERS.filter(({ name }) => forced === 'auto' || name === forced)
  const details = {
    looked_for: candidates.map(({ name, looksFor }) => `${name}: ${looksFor}`),
    effects: 'none',
  }
  if (found.is === 'unusable')
    throw failure('execution_failed', `The tests cannot be run: ${found.problem}.`, details, [found.advice])
  const where = request.folder === '' ? 'the root' : request.folder
  throw failure(
    'execution_failed',
    `No test runner was found in ${where}. Looked for ${candidates.map(({ name, looksFor }) => `${looksFor} (${name})`).join('; ')}.`,
    details,
    ['Name the command in `command`, or set tools.run_tests.command.'],
  )
}

/** A selector that names a file or folder of the project means that; anything else is matched against test names. */
function select(selector: string | null, project: Project): Selection {
  if (selector === null) return { is: 'all' }
  const found = project.locate(selector)
  if (found === null) return { is: 'name', text: selector }
  return found.path === '.' ? { is: 'all' } : { is: 'path', ...found }
}

/** Some runners run any file that they are given, so a path counts as tests only if it is named like one. */
function planOf(runner: TestRunner, command: readonly string[], selection: Selection): TestPlan {
  const argv = compose(runner, command, selection)
  const isOfTests = selection.is !== 'path' || isNamedLikeTest(selection.path)
  return { runner, selection, stem: isOfTests ? command : argv, argv }
}

function compose(runner: TestRunner, argv: readonly string[], selection: Selection): readonly string[] {
  const composed = runner.compose(argv, selection)
  if (composed.ok) return composed.argv
  throw failure('bad_args', `The selector does not fit ${runner.name}: ${composed.problem}.`, {
    argument: 'selector',
  })
}

/**
 * Inserts a selector into a configured command. Without a placeholder it becomes the last word, and then it must not
 * look like an option.
 */
function fillIn(command: readonly string[], selector: string | null): readonly string[] {
  if (command.some((word) => word.includes(PLACEHOLDER)))
    return selector === null
      ? command.filter((word) => !word.includes(PLACEHOLDER))
      : command.map((word) => requireValue(word, selector))
  if (selector === null) return command
  return [...command, requireNoOption(selector, `Put ${PLACEHOLDER} where it goes into the command.`)]
}

function requireValue(word: string, selector: string): string {
  return word === PLACEHOLDER
    ? requireNoOption(selector, `Write the option and its value as one word, as in --filter=${PLACEHOLDER}.`)
    : word.replaceAll(PLACEHOLDER, () => selector)
}

function requireNoOption(selector: string, advice: string): string {
  if (!selector.startsWith('-')) return selector
  throw failure(
    'bad_args',
    'The selector begins with a hyphen, so this command would take it for an option.',
    { argument: 'selector' },
    [advice],
  )
}

/** Every runner. Those that a project file names explicitly come before those that file names only suggest. */
const RUNNERS: readonly TestRunner[] = [vitest, jest, cargo, go, nodeTest, pytest, ert]

/** A runner with the words that start it, or why it cannot be used, or that there is none. */
type Found =
  | {
      readonly is: 'found'
      readonly runner: TestRunner
      readonly argv: readonly string[]
      readonly why: string
    }
  | (Extract<Detection, { is: 'unusable' }> & { readonly runner: TestRunner })
  | { readonly is: 'none' }

/** Detects how the tests of a project are run; `only` restricts it to one runner. */
async function findRunner(project: Project, only: RunnerName | null): Promise<Found> {
  let unusable: Found | null = null
  for (const runner of RUNNERS) {
    if (only !== null && runner.name !== only) continue
    const detection = await runner.detect(project)
    if (detection === null) continue
    if (detection.is === 'found') return { ...detection, runner }
    unusable ??= { ...detection, runner }
  }
  return unusable ?? { is: 'none' }
}

/** The runner that a command line starts; null if it is unknown. */
function recogniseRunner(argv: readonly string[]): TestRunner | null {
  return RUNNERS.find((runner) => runner.recognises(argv)) ?? null
}

/** The runner with a name. */
function runnerNamed(name: RunnerName): TestRunner | null {
  return RUNNERS.find((runner) => runner.name === name) ?? null
}
