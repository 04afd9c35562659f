import type { Files, Walk } from '../../core/powers.ts'
import { openLevel, topLevel } from './ignore-level.ts'
import type { IgnoreLevel, IgnoreSource } from './ignore-level.ts'

/** No ignore file that anybody wrote is larger. */
const MAX_IGNORE_BYTES = 1_048_576

const decoder = new TextDecoder('utf-8')

/** Puts a name below a folder, where '' is the root. */
export function pathIn(folder: string, name: string): string {
  return folder === '' ? name : `${folder}/${name}`
}

/** The level of a folder that is reached by its path, with those of all folders above it. */
export function levelAt(files: Files, patterns: readonly string[], folder: string): IgnoreLevel {
  let level = topLevel(patterns)
  // A folder in another root has nothing to do with what lies above this one.
  if (folder.startsWith('/')) return openLevel(level, folder, sourceByPath(files, folder))
  level = openLevel(level, '', sourceByPath(files, ''))
  let path = ''
  for (const name of folder === '' ? [] : folder.split('/')) {
    path = pathIn(path, name)
    level = openLevel(level, path, sourceByPath(files, path))
  }
  return level
}

/** Looks for ignore files by name. Most folders hold none, and a folder on the way that is not there is cheaper to miss. */
export function sourceByPath(files: Files, folder: string): IgnoreSource {
  return (path) => {
    const [first = path] = path.split('/')
    const isReachable = first === path || files.follow(pathIn(folder, first))?.kind === 'dir'
    return isReachable ? readText(files, pathIn(folder, path)) : null
  }
}

/** Looks for ignore files in the folder that a walk is in: what it does not hold need not be looked for. */
export function sourceByWalk(files: Files, walk: Walk, folder: string): IgnoreSource {
  return (path) => {
    const [first = path] = path.split('/')
    return walk.holds(first) ? readText(files, pathIn(folder, path)) : null
  }
}

function readText(files: Files, path: string): string | null {
  const bytes = files.peek(path, MAX_IGNORE_BYTES)
  return bytes === null ? null : decoder.decode(bytes)
}
