import { join, resolve } from 'node:path'
import { repositoryAt } from '../find-repositories.ts'
import { realGitPath } from '../follow/follow-named-path.ts'
import { pointerOf } from '../follow/pointer.ts'

/** As deep as git itself looks. */
const MOST_STEPS = 5

/**
 * The git folders of those repositories, each given by its folder, that borrow the objects in a folder, themselves or by way
 * of another of them.
 */
export function findBorrowers(objects: string, folders: readonly string[]): readonly string[] {
  const gits = new Set(folders.flatMap((folder) => repositoryAt(folder)?.commonFolder ?? []))
  const lenders = new Map([...gits].map((git) => [git, lendersOf(join(git, 'objects'))]))
  const lent = new Set([realGitPath(objects) ?? objects])
  const borrowers = new Set<string>()
  for (let step = 0; step < MOST_STEPS; step++)
    for (const [git, from] of lenders) {
      if (borrowers.has(git) || !from.some((one) => lent.has(one))) continue
      borrowers.add(git)
      lent.add(realGitPath(join(git, 'objects')) ?? git)
    }
  return [...borrowers]
}

/** The folders of objects that git looks in besides one. */
function lendersOf(objects: string): readonly string[] {
  const lines = pointerOf(join(objects, 'info/alternates'))?.split('\n') ?? []
  return lines
    .filter((line) => line !== '' && !line.startsWith('#'))
    .flatMap((line) => realGitPath(resolve(objects, line.replace(/^"(.*)"$/, '$1'))) ?? [])
}
