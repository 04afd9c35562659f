import { delimiter, isAbsolute, relative, sep } from 'node:path'
import { isInside } from '../../host/fs/folders.ts'

/**
 * Puts folders of the workspace, and relative ones, behind all others on PATH: a file that a call writes there must not
 * be started in the place of a program of the system.
 */
export function orderPath(path: string, roots: readonly string[]): string {
  const folders = path.split(delimiter).filter((folder) => folder !== '')
  const isOwn = (folder: string): boolean =>
    !isAbsolute(folder) || roots.some((root) => isBelow(folder, root))
  return [...folders.filter((folder) => !isOwn(folder)), ...folders.filter(isOwn)].join(delimiter)
}

/**
 * PATH without folders of the workspace, and without relative ones: for programs that run outside any sandbox. Links are
 * followed, because a folder outside may be one into the workspace.
 */
export function pathOutside(path: string, roots: readonly string[]): string {
  return path
    .split(delimiter)
    .filter((folder) => isAbsolute(folder) && !roots.some((root) => isInside(folder, root)))
    .join(delimiter)
}

function isBelow(folder: string, root: string): boolean {
  const way = relative(root, folder)
  return way === '' || (way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way))
}
