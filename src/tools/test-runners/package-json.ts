import { isJsonObject } from '../../core/json/value.ts'
import type { JsonObject } from '../../core/json/value.ts'
import { NAME_COMMAND } from './test-runner.ts'
import type { Detection, Project } from './test-runner.ts'

/** Where a project's packages put their programs; one of them may be the Node version it needs. */
const PACKAGE_PROGRAMS = 'node_modules/.bin'

/** What a package.json says about tests. */
export interface PackageFacts {
  readonly name: string
  /** The name of the script that runs the tests; null if there is none. */
  readonly testName: string | null
  readonly scripts: ReadonlyMap<string, string>
  readonly dependencies: ReadonlySet<string>
  /** Patterns for the folders of the packages in its workspace. */
  readonly workspaces: readonly string[]
}

/** Names that projects give to the script of their tests, the usual one first. */
const TEST_NAMES = [
  'test',
  'test:unit',
  'unit',
  'test:run',
  'tests-only',
  'test-unit',
  'test:node',
  'test:ci',
]

/** Reads a project's package.json; null if it is missing or unreadable. */
export function readPackage(project: Project): PackageFacts | null {
  const parsed = readJson(project, 'package.json')
  if (parsed === null) return null
  const { name, dependencies, devDependencies } = parsed
  const scripts = new Map(
    entriesOf(parsed['scripts']).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  )
  return {
    name: typeof name === 'string' ? name : '',
    testName: TEST_NAMES.find((each) => isWritten(scripts.get(each))) ?? null,
    scripts,
    dependencies: new Set([dependencies, devDependencies].flatMap(entriesOf).map(([each]) => each)),
    workspaces: readWorkspaces(project, parsed['workspaces']),
  }
}

/** Whether a script is more than what npm puts in its place. */
function isWritten(text: string | undefined): boolean {
  return text !== undefined && !text.includes('no test specified')
}

function readJson(project: Project, path: string): JsonObject | null {
  try {
    const parsed: unknown = JSON.parse(project.read(path) ?? '')
    return isJsonObject(parsed) ? parsed : null
  } catch {
    return null
  }
}

function entriesOf(table: unknown): [string, unknown][] {
  return isJsonObject(table) ? Object.entries(table) : []
}

/** The patterns of npm, yarn, pnpm or lerna, whichever the project has. */
function readWorkspaces(project: Project, own: unknown): readonly string[] {
  const listed = isJsonObject(own) ? own['packages'] : own
  if (Array.isArray(listed)) return listed.filter((each) => typeof each === 'string')
  const yaml = project.read('pnpm-workspace.yaml')
  if (yaml !== null) return readPackageList(yaml)
  const lerna = readJson(project, 'lerna.json')?.['packages']
  return Array.isArray(lerna) ? lerna.filter((each) => typeof each === 'string') : []
}

/** The list `packages` of a YAML file: one entry a line, or all of them in brackets. */
function readPackageList(yaml: string): readonly string[] {
  const lines = yaml.split(/\r?\n/)
  const at = lines.findIndex((line) => /^packages\s*:/.test(line))
  if (at === -1) return []
  const first = lines[at] ?? ''
  const [start, stop] = [first.indexOf('['), first.lastIndexOf(']')]
  if (start !== -1 && start < stop)
    return first
      .slice(start + 1, stop)
      .split(',')
      .map(unquote)
  const rest = lines.slice(at + 1)
  const end = rest.findIndex((line) => !/^\s*(?:-.*|#.*)?$/.test(line))
  return (end === -1 ? rest : rest.slice(0, end)).flatMap((line) => {
    const item = line.trim()
    const comment = item.search(/\s#/)
    const entry = /^-\s/.test(item) ? item.slice(1, comment === -1 ? undefined : comment).trim() : ''
    return entry === '' ? [] : [unquote(entry)]
  })
}

function unquote(text: string): string {
  return text.trim().replace(/^(['"])(.*)\1$/, '$2')
}

/**
 * The folder with a program of the project's packages, relative to the project: its own, or that of a workspace around
 * it. Without a name, the nearest there is.
 */
export function findPrograms(project: Project, name: string | null): string | null {
  const around = project.folder === '' ? [] : project.folder.split('/')
  for (let up = 0; up <= around.length; up++) {
    const folder = [...around.slice(0, around.length - up), PACKAGE_PROGRAMS].join('/')
    if (project.files.follow(name === null ? folder : `${folder}/${name}`) !== null)
      return `${'../'.repeat(up)}${PACKAGE_PROGRAMS}`
  }
  return null
}

/** Looks for a runner that is installed as a package, and for its program in the project. */
export async function findPackageProgram(
  project: Project,
  name: string,
  args: readonly string[],
  configFile: RegExp,
): Promise<Detection | null> {
  const facts = readPackage(project)
  const script = facts?.scripts.get(facts.testName ?? '') ?? ''
  const isNamed = facts?.dependencies.has(name) === true || new RegExp(`\\b${name}\\b`).test(script)
  const why = isNamed ? `package.json names ${name}` : await configIn(project, configFile)
  return why === null ? null : startProgram(project, [name, ...args], why)
}

/** The words that start a program of the project's packages, or that it is missing. */
export function startProgram(
  project: Project,
  [name = '', ...args]: readonly string[],
  why: string,
): Detection {
  const programs = findPrograms(project, name)
  if (programs !== null) return { is: 'found', argv: [`${programs}/${name}`, ...args], why }
  return {
    is: 'unusable',
    problem: `${why}, but ${PACKAGE_PROGRAMS}/${name} is not there`,
    advice: `Install the packages of the project. ${NAME_COMMAND}`,
  }
}

async function configIn(project: Project, configFile: RegExp): Promise<string | null> {
  const names: string[] = []
  project.files.walk(project.folder === '' ? '.' : project.folder, ({ name, kind }) => {
    if (kind === 'file' && configFile.test(name)) names.push(name)
    return 'pass'
  })
  return names[0] === undefined ? null : `there is ${names[0]}`
}
