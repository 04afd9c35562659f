import { failure } from '../../core/error.ts'
import type { Files } from '../../core/powers.ts'
import { eachFile } from '../finding/each-file.ts'
import type { SearchScope } from '../finding/search-scope.ts'
import type { WalkRequest } from '../finding/walk-files.ts'

/** A file that the paths name and that is left alone. */
export interface SkippedFile {
  readonly path: string
  readonly why: string
}

/** The files in a scope. */
export interface SurveyedScope {
  /** Those that can be searched. */
  readonly paths: readonly string[]
  /** Those that a search passes over in silence: denied by their names, or too large. */
  readonly skipped: readonly SkippedFile[]
}

/** Lists the files in a scope; one that the walk cannot see all of is refused, because part of it would look like all. */
export async function surveyScope(
  files: Files,
  scope: SearchScope,
  limits: Pick<WalkRequest, 'budget' | 'patterns' | 'signal' | 'notes'>,
  maxFileBytes: number,
): Promise<SurveyedScope> {
  const paths: string[] = []
  const skipped: SkippedFile[] = []
  const maxEntries = limits.budget.left
  const tooLarge = `it is larger than ${maxFileBytes} bytes, the limit for a file that is searched and edited`
  const seeing: Files = { ...files, startWalk: (path) => files.startWalk(path, { showsDenied: true }) }
  await eachFile(seeing, scope, limits, async (path) => {
    const found = files.follow(path)
    if (found === null) skipped.push({ path, why: 'its name is denied' })
    else if (found.size > maxFileBytes) skipped.push({ path, why: tooLarge })
    else paths.push(path)
    return true
  })
  if (limits.budget.left >= 0) return { paths, skipped }
  const message = `There are more names below these paths than tools.walk.max_entries allows, which is ${maxEntries}. Nothing was changed.`
  throw failure('limit_exceeded', message, { limit: maxEntries }, ['Name smaller folders, one at a time.'])
}
