import type { ScriptBehind } from '../../core/command/script-behind.ts'
import { expandPatterns } from './node-test.ts'
import { readPackage, startProgram } from './package-json.ts'
import { RUNNERS, recogniseRunner } from './runners.ts'
import { findTestParts } from './scripts/find-test-part.ts'
import type { ScriptFindings, TestPart } from './scripts/find-test-part.ts'
import type { Detection, Project, RunnerName, TestRunner } from './test-runner.ts'

/** A runner with the words that start it. */
export interface FoundRunner {
  readonly is: 'found'
  readonly runner: TestRunner
  readonly argv: readonly string[]
  /** The same as it is written in the project, where `argv` has the files that a pattern matches. */
  readonly written: readonly string[]
  /** What stays in front of the words, whatever is added to them. */
  readonly prefix: readonly string[]
  readonly variables: Readonly<Record<string, string>>
  /** Where the script of the project goes before it starts them, relative to the project. */
  readonly folder: string
  /** What the script of the project does before its tests, as it is written there. */
  readonly before: readonly string[]
  /** Further commands of the script that run tests. */
  readonly others: readonly string[]
  readonly behind?: ScriptBehind
}

/** A runner; or why it cannot be used; or that the tests are those of other packages; or that there is none. */
export type Found =
  | FoundRunner
  | Extract<Detection, { is: 'unusable' }>
  | { readonly is: 'packages'; readonly named: readonly string[] }
  | { readonly is: 'none' }

const PYTHON_PROJECT = ['pyproject.toml', 'setup.py', 'setup.cfg', 'pytest.ini', 'tox.ini']

/** Files that make a folder a project of its own. */
export const PROJECT_FILES = ['package.json', 'Cargo.toml', 'go.mod', ...PYTHON_PROJECT]

/**
 * Detects how the tests of a project are run: as its test script says, otherwise by what there is. `only` restricts it
 * to one runner; a project inside another one needs a file that names the runner.
 */
export async function findRunner(
  project: Project,
  { only, isInner }: { readonly only: RunnerName | null; readonly isInner: boolean },
): Promise<Found> {
  const { testName = null, scripts = new Map<string, string>() } = readPackage(project) ?? {}
  const findings =
    testName === null
      ? null
      : findTestParts(testName, scripts, (words) => isWanted(recogniseRunner(words), only))
  const own = scripts.has(`pre${testName}`) ? [`npm run pre${testName}`] : []
  const byScript = findings === null ? null : await readFindings(project, findings, own)
  if (byScript !== null) return byScript
  let unusable: Found | null = null
  for (const runner of RUNNERS) {
    if (!isWanted(runner, only) || (isInner && !isFitInside(runner, project))) continue
    const detection = await runner.detect(project)
    if (detection === null) continue
    if (detection.is === 'found') return asFound(runner, detection)
    unusable ??= detection
  }
  return unusable ?? { is: 'none' }
}

function isWanted(runner: TestRunner | null, only: RunnerName | null): boolean {
  return runner !== null && (only === null || runner.name === only)
}

/** The names of files alone would take a folder of examples for a project. */
function isFitInside({ name }: TestRunner, project: Project): boolean {
  if (name === 'pytest' || name === 'unittest') return PYTHON_PROJECT.some(project.has)
  return !['node', 'ert', 'make'].includes(name)
}

function asFound(
  runner: TestRunner,
  { argv, env = {}, behind }: Extract<Detection, { is: 'found' }>,
): FoundRunner {
  return {
    is: 'found',
    runner,
    argv,
    written: argv,
    prefix: [],
    variables: env,
    folder: '',
    before: [],
    others: [],
    ...(behind === undefined ? {} : { behind }),
  }
}

async function readFindings(
  project: Project,
  { parts, leftOut, packages }: ScriptFindings,
  before: readonly string[],
): Promise<Found | null> {
  const [first, ...rest] = parts
  if (first === undefined) return packages === null ? null : { is: 'packages', ...packages }
  const runner = recogniseRunner(first.words)
  if (runner === null) return null
  const folder = [project.folder, first.folder].filter((part) => part !== '').join('/')
  const started = startPart({ ...project, folder }, runner, first)
  if (started.is === 'unusable') return started
  return {
    ...asFound(runner, started),
    argv: runner.name === 'node' ? await expandPatterns(project, started.argv) : started.argv,
    prefix: first.prefix,
    variables: first.variables,
    folder: first.folder,
    before: [...before, ...leftOut],
    others: rest.map(({ words }) => words.join(' ')),
  }
}

/** A package may be named with a version; the name of one in a scope begins with the same sign. */
function withoutVersion(name: string): string {
  const at = name.indexOf('@', 1)
  return at === -1 ? name : name.slice(0, at)
}

/** The program of a part may be one of the project's packages, and be given by name alone. */
function startPart(project: Project, { name, runsOn }: TestRunner, { words }: TestPart): Detection {
  const [first = ''] = words
  const why = `the test script of package.json uses ${name}`
  if (runsOn !== 'package' || first.includes('/')) return { is: 'found', argv: words, why }
  return startProgram(project, [withoutVersion(first), ...words.slice(1)], why)
}
