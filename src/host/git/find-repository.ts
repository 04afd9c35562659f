import { lstatSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** The nearest folder above a file that is a repository, no higher than the root; null where there is none. */
export function findRepository(file: string, root: string): string | null {
  for (let at = dirname(file); at === root || at.startsWith(`${root}/`); at = dirname(at)) {
    if (lstatSync(join(at, '.git'), { throwIfNoEntry: false }) !== undefined) return at
    if (at === dirname(at)) return null
  }
  return null
}

/** What changes when something is staged or committed; null where that cannot be told from these files. */
export function repositoryVersion(folder: string): string | null {
  const git = join(folder, '.git')
  if (lstatSync(git, { throwIfNoEntry: false })?.isDirectory() !== true) return null
  return ['HEAD', 'index', 'logs/HEAD']
    .map((name) => {
      const found = lstatSync(join(git, name), { bigint: true, throwIfNoEntry: false })
      return found === undefined ? '-' : `${found.ino} ${found.size} ${found.mtimeNs} ${found.ctimeNs}`
    })
    .join('\n')
}
