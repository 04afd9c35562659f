import type { Settings } from '../../config/keys.ts'
import { isRedirectingVariable } from '../../core/command/redirecting-variables.ts'
import { failure } from '../../core/error.ts'
import type { Files } from '../../core/powers.ts'
import type { ScriptBehind } from '../../core/command/script-behind.ts'
import { fillIn, PLACEHOLDER } from './fill-in.ts'
import { findRunner, PROJECT_FILES } from '../test-runners/find-runner.ts'
import type { Found, FoundRunner } from '../test-runners/find-runner.ts'
import { findInnerProjects, foldersAround } from './inner-projects.ts'
import { listNodeTests } from '../test-runners/node-test.ts'
import { openProject } from '../test-runners/open-project.ts'
import { findPrograms, readPackage } from '../test-runners/package-json.ts'
import { recogniseRunner, runnerNamed, RUNNERS } from '../test-runners/runners.ts'
import { isNamedLikeTest, NAME_COMMAND } from '../test-runners/test-runner.ts'
import type { Project, Selection, TestRunner } from '../test-runners/test-runner.ts'

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
  /** What the words run, where a file of the project decides it; null if they say it themselves. */
  readonly behind: ScriptBehind | null
  readonly selection: Selection
  /** Where it runs, relative to the root; '' is the root. */
  readonly folder: string
  /** The variables that the project sets for its tests. */
  readonly variables: Readonly<Record<string, string>>
  /** The folder with the programs of the project's packages, relative to where it runs; null if it has none. */
  readonly programs: string | null
  /** What the project's script does before its tests, and further tests that it runs; neither is started. */
  readonly before: readonly string[]
  readonly others: readonly string[]
}

/** The runs of a call: one, or one for each project of a workspace; and what keeps others from being run. */
export interface TestPlans {
  readonly plans: readonly TestPlan[]
  readonly problems: readonly string[]
}

/**
 * Decides which commands run which tests. Throws a ToolFailure that says what was looked for, or what is wrong with
 * the selector.
 */
export async function planTests(request: TestRequest): Promise<TestPlans> {
  const { settings, command, selector } = request
  const project = openProject(request)
  const selection = await select(selector, project)
  const forced = settings['tools.run_tests.runner']
  if (command !== null) {
    const runner = forced === 'auto' ? recogniseRunner(command) : runnerNamed(forced)
    const isKnown = runner?.recognises(command) === true
    if (isKnown && !command.some((word) => word.includes(PLACEHOLDER)))
      return only(planOf(project, { ...asGiven(command), runner }, selection))
    // What an unknown command makes of a further word cannot be told.
    const argv = fillIn(command, selector)
    return only({
      ...planOf(project, { ...asGiven(argv), runner: null }, { is: 'all' }),
      runner,
      selection,
    })
  }
  const wanted = forced === 'auto' ? null : forced
  let missing: Found | null = null
  if (selection.is === 'path')
    for (const folder of foldersAround(project, selection)) {
      const inner = openInside(request, folder)
      const found = await findRunner(inner, { only: wanted, isInner: true })
      if (found.is === 'found') return only(planOf(inner, found, within(folder, selection)))
      if (found.is === 'unusable') missing ??= found
    }
  // The names of files alone say less than the projects in folders do.
  if (selection.is !== 'path' && !ROOT_FILES.some(project.has)) {
    const inner = await planPackages(request, project, selection, [])
    if (inner.plans.length > 0) return inner
  }
  const found = await findRunner(project, { only: wanted, isInner: false })
  if (found.is === 'found') return only(planOf(project, found, selection))
  if (found.is !== 'unusable' && missing === null && selection.is !== 'path') {
    const plans = await planPackages(request, project, selection, found.is === 'packages' ? found.named : [])
    if (plans.plans.length > 0) return plans
    if (plans.problems.length > 0) throw unusable(plans.problems.join(' '), [INSTALL])
  }
  missing ??= found
  if (missing.is === 'unusable') throw unusable(`${missing.problem}.`, [missing.advice])
  throw notFound(request)
}

/** Files that say how the tests of the root are run. */
const ROOT_FILES = [...PROJECT_FILES, 'conftest.py', 'GNUmakefile', 'makefile', 'Makefile']

const INSTALL = `Install the packages of the project. ${NAME_COMMAND}`

/** The tests of every project inside one, or of the named ones. */
async function planPackages(
  request: TestRequest,
  project: Project,
  selection: Selection,
  named: readonly string[],
): Promise<TestPlans> {
  const forced = request.settings['tools.run_tests.runner']
  const plans: TestPlan[] = []
  const problems: string[] = []
  for (const folder of await findInnerProjects(project)) {
    const inner = openInside(request, folder)
    const names = new Set([folder, `./${folder}`, readPackage(inner)?.name ?? ''])
    if (named.length > 0 && !named.some((name) => names.has(name))) continue
    const found = await findRunner(inner, { only: forced === 'auto' ? null : forced, isInner: true })
    if (found.is === 'found') plans.push(planOf(inner, found, selection))
    else if (found.is === 'unusable') problems.push(`${folder} was left out: ${found.problem}.`)
  }
  return { plans, problems }
}

function openInside(request: TestRequest, folder: string): Project {
  return openProject({ ...request, folder: join(request.folder, folder) })
}

function join(folder: string, inner: string): string {
  return [folder, inner].filter((part) => part !== '').join('/')
}

/** The same selection, from a folder around it. */
function within(folder: string, selection: Extract<Selection, { is: 'path' }>): Selection {
  if (folder === '') return selection
  if (selection.path === folder) return { is: 'all' }
  const up = '../'.repeat(folder.split('/').length)
  const from = (path: string): string =>
    path.startsWith(`${folder}/`) ? path.slice(folder.length + 1) : up + path
  return { ...selection, path: from(selection.path), tests: selection.tests?.map(from) ?? [] }
}

/** A selector that names a file or folder of the project means that; anything else is matched against test names. */
async function select(selector: string | null, project: Project): Promise<Selection> {
  if (selector === null) return { is: 'all' }
  const found = project.locate(selector)
  if (found === null) return { is: 'name', text: selector }
  if (found.path === '.') return { is: 'all' }
  return {
    is: 'path',
    ...found,
    ...(found.isFolder ? { tests: await listNodeTests(project, found.path) } : {}),
  }
}

function only(plan: TestPlan): TestPlans {
  return { plans: [plan], problems: [] }
}

/** Words of a call or of the configuration, which are started as they are. */
function asGiven(argv: readonly string[]): Omit<FoundRunner, 'runner' | 'is'> {
  return { argv, written: argv, prefix: [], variables: {}, folder: '', before: [], others: [] }
}

/** Some runners run any file that they are given, so a path counts as tests only if it is named like one. */
function planOf(
  project: Project,
  found: Omit<FoundRunner, 'runner' | 'is'> & { readonly runner: TestRunner | null },
  selected: Selection,
): TestPlan {
  const { runner, variables, before, others } = found
  const selection = selected.is === 'path' ? within(found.folder, selected) : selected
  const folder = join(project.folder, found.folder)
  const front = [...redirections(variables), ...found.prefix]
  const argv = [...front, ...compose(runner, found.argv, selection)]
  const isOfTests = selection.is !== 'path' || (isNamedLikeTest(selection.path) && runner?.isUnknown !== true)
  return {
    runner,
    selection,
    stem: isOfTests && runner !== null ? [...front, ...found.written] : argv,
    argv,
    folder,
    variables: Object.fromEntries(Object.entries(variables).filter(([name]) => !isRedirectingVariable(name))),
    programs: runner?.runsOn === undefined ? null : programsOf({ ...project, folder }, found.argv),
    behind: found.behind ?? null,
    before,
    others,
  }
}

/** The folder that the runner itself is in, or the nearest one; from where the runner is started. */
function programsOf(project: Project, argv: readonly string[]): string | null {
  return /^(.*node_modules\/\.bin)\/[^/]+$/.exec(argv[0] ?? '')?.[1] ?? findPrograms(project, null)
}

/** A variable that changes what runs is not hidden in the environment, but stands in front of the command. */
function redirections(variables: Readonly<Record<string, string>>): readonly string[] {
  const words = Object.entries(variables).flatMap(([name, value]) =>
    isRedirectingVariable(name) ? [`${name}=${value}`] : [],
  )
  return words.length === 0 ? [] : ['env', ...words]
}

function compose(
  runner: TestRunner | null,
  argv: readonly string[],
  selection: Selection,
): readonly string[] {
  if (runner === null) return argv
  const composed = runner.compose(argv, selection)
  if (composed.ok) return composed.argv
  throw failure('bad_args', `The selector does not fit ${runner.name}: ${composed.problem}.`, {
    argument: 'selector',
  })
}

function unusable(problem: string, advice: readonly string[]) {
  return failure('execution_failed', `The tests cannot be run: ${problem}`, { effects: 'none' }, advice)
}

function notFound({ settings, folder }: TestRequest) {
  const forced = settings['tools.run_tests.runner']
  const candidates = RUNNERS.filter(({ name }) => forced === 'auto' || name === forced)
  const where = folder === '' ? 'the root' : folder
  return failure(
    'execution_failed',
    `No test runner was found in ${where}. Looked for ${candidates.map(({ name, looksFor }) => `${looksFor} (${name})`).join('; ')}.`,
    { looked_for: candidates.map(({ name, looksFor }) => `${name}: ${looksFor}`), effects: 'none' },
    [NAME_COMMAND],
  )
}
