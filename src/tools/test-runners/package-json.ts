import { isJsonObject } from '../../core/json/value.ts'
import type { Detection, Project } from './test-runner.ts'

/** Where a project's packages put their programs; one of them may be the Node version it needs. */
export const PACKAGE_PROGRAMS = 'node_modules/.bin'

/** What a package.json says about tests. */
export interface PackageFacts {
  readonly testScript: string
  readonly dependencies: ReadonlySet<string>
}

/** Reads a project's package.json; null if it is missing or unreadable. */
export function readPackage(project: Project): PackageFacts | null {
  const text = project.read('package.json')
  if (text === null) return null
  try {
    const parsed: unknown = JSON.parse(text)
    if (!isJsonObject(parsed)) return null
    const { scripts, dependencies, devDependencies } = parsed
    const test = isJsonObject(scripts) ? scripts['test'] : undefined
    const names = [dependencies, devDependencies].flatMap((table) =>
      isJsonObject(table) ? Object.keys(table) : [],
    )
    return { testScript: typeof test === 'string' ? test : '', dependencies: new Set(names) }
  } catch {
    return null
  }
}

/** Looks for a runner that is installed as a package, and for its program in the project. */
export async function findPackageProgram(
  project: Project,
  name: string,
  args: readonly string[],
  configFile: RegExp,
): Promise<Detection | null> {
  const facts = readPackage(project)
  const isNamed =
    facts?.dependencies.has(name) === true || new RegExp(`\\b${name}\\b`).test(facts?.testScript ?? '')
  const why = isNamed ? `package.json names ${name}` : await configIn(project, configFile)
  if (why === null) return null
  const program = `${PACKAGE_PROGRAMS}/${name}`
  if (project.has(program)) return { is: 'found', argv: [program, ...args], why }
  return {
    is: 'unusable',
    problem: `${why}, but ${program} is not there`,
    advice: 'Install the packages of the project, or set tools.run_tests.command.',
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
