import { compileGlobs, parseGlob } from '../../core/glob/glob.ts'
import type { Glob } from '../../core/glob/glob.ts'
import { PROJECT_FILES } from '../test-runners/find-runner.ts'
import { readPackage } from '../test-runners/package-json.ts'
import type { Project } from '../test-runners/test-runner.ts'

const MOST_PROJECTS = 200
/** Of each kind; the others do not count. */
const MOST_PATTERNS = 500

/**
 * The folders of the projects inside one, relative to it: the packages of its workspace if it has one, otherwise the
 * outermost folders with a project file.
 */
export async function findInnerProjects(project: Project): Promise<readonly string[]> {
  const facts = readPackage(project)
  const patterns = facts?.workspaces ?? []
  const names = patterns.length > 0 ? ['package.json'] : PROJECT_FILES
  const found = await project.find((name) => names.includes(name), MOST_PROJECTS)
  const folders = [...new Set(found.map(folderOf))].filter((folder) => folder !== '').toSorted()
  if (patterns.length > 0) return folders.filter(createMemberTest(patterns))
  return folders.filter((folder) => !folders.some((other) => folder.startsWith(`${other}/`)))
}

/** The folders around a path, the nearest first, as far as they may be projects of their own. */
export function foldersAround(
  project: Project,
  { path, isFolder }: { readonly path: string; readonly isFolder: boolean },
): readonly string[] {
  const folders: string[] = []
  for (let at = isFolder ? path : folderOf(path); at !== ''; at = folderOf(at)) {
    const folder = at
    if (PROJECT_FILES.some((name) => project.has(`${folder}/${name}`))) folders.push(folder)
  }
  return folders
}

function folderOf(path: string): string {
  return path.includes('/') ? path.slice(0, path.lastIndexOf('/')) : ''
}

/** Tells members by the patterns of a project. A project that nobody trusts may have any number of them. */
function createMemberTest(patterns: readonly string[]): (folder: string) => boolean {
  const globs = (isForOut: boolean): readonly Glob[] =>
    patterns
      .filter((pattern) => pattern.startsWith('!') === isForOut)
      .slice(0, MOST_PATTERNS)
      .flatMap((pattern) => {
        const parsed = parseGlob(pattern.replace(/^!/, '').replace(/^\.\//, '').replace(/\/$/, ''))
        return parsed.ok ? parsed.glob : []
      })
  const [findOut, findIn] = [compileGlobs(globs(true)), compileGlobs(globs(false))]
  return (folder) => findOut(folder) === undefined && findIn(folder) !== undefined
}
