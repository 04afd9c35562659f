import type { Files } from '../../core/powers.ts'
import { eachFile } from '../finding/each-file.ts'
import type { SearchScope } from '../finding/search-scope.ts'
import type { WalkRequest } from '../finding/walk-files.ts'

/** More names than this help no one. */
const MAX_NAMED = 20

/** The files in a scope that are denied by their names, which a search passes over in silence. */
export async function findDeniedFiles(
  files: Files,
  scope: SearchScope,
  limits: Pick<WalkRequest, 'budget' | 'patterns' | 'signal' | 'notes'>,
): Promise<readonly string[]> {
  const denied: string[] = []
  const seeing: Files = { ...files, startWalk: (path) => files.startWalk(path, { showsDenied: true }) }
  await eachFile(seeing, scope, limits, async (path) => {
    if (files.follow(path) === null) denied.push(path)
    return denied.length < MAX_NAMED
  })
  return denied
}
