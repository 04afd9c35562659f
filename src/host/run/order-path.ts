import { delimiter, isAbsolute } from 'node:path'
import { isInside } from '../fs/folders.ts'

/**
 * Puts folders of the workspace, and relative ones, behind all others on PATH: a file that a call writes there must not
 * be started in the place of a program of the system. Links are followed, because a folder outside may be one into the
 * workspace.
 */
export function orderPath(path: string, roots: readonly string[]): string {
  const folders = path.split(delimiter).filter((folder) => folder !== '')
  const own = new Set(
    folders.filter((folder) => !isAbsolute(folder) || roots.some((root) => isInside(folder, root))),
  )
  return [
    ...folders.filter((folder) => !own.has(folder)),
    ...folders.filter((folder) => own.has(folder)),
  ].join(delimiter)
}

/** PATH without folders of the workspace, and without relative ones: for programs that run outside any sandbox. */
export function pathOutside(path: string, roots: readonly string[]): string {
  return path
    .split(delimiter)
    .filter((folder) => isAbsolute(folder) && !roots.some((root) => isInside(folder, root)))
    .join(delimiter)
}
