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

/** Lists the files in a scope, as far as the budget goes. */
export async function surveyScope(
  files: Files,
  scope: SearchScope,
  limits: Pick<WalkRequest, 'budget' | 'patterns' | 'signal' | 'notes'>,
  maxFileBytes: number,
): Promise<SurveyedScope> {
  const paths: string[] = []
  const skipped: SkippedFile[] = []
  const tooLarge = `it is larger than ${maxFileBytes} bytes, the limit for a file that is searched and edited`
  const seeing: Files = { ...files, startWalk: (path) => files.startWalk(path, { showsDenied: true }) }
  await eachFile(seeing, scope, limits, async (path) => {
    const found = files.follow(path)
    if (found === null) skipped.push({ path, why: 'its name is denied' })
    else if (found.size > maxFileBytes) skipped.push({ path, why: tooLarge })
    else paths.push(path)
    return true
  })
  return { paths, skipped }
}
