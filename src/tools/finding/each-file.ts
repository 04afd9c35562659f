import type { Files } from '../../core/powers.ts'
import type { SearchScope } from './search-scope.ts'
import { walkFiles } from './walk-files.ts'
import type { WalkRequest } from './walk-files.ts'

/** Visits every file in scope once. */
export async function eachFile(
  files: Files,
  scope: SearchScope,
  limits: Pick<WalkRequest, 'budget' | 'patterns' | 'signal' | 'notes'>,
  visit: (path: string) => Promise<boolean>,
): Promise<void> {
  const seen = new Set<string>()
  const visitOnce = (path: string): boolean | Promise<boolean> => {
    if (seen.has(path)) return true
    seen.add(path)
    return visit(path)
  }
  for (const { path, scope: below } of scope.starts) {
    const kind = files.follow(path === '' ? '.' : path)?.kind
    if (kind === 'file' && scope.includes(path) && !(await visitOnce(path))) return
    if (kind !== 'dir') continue
    const walk = { ...limits, start: path, scope: below, maxDepth: Infinity, followLinks: false }
    let isEnough = false
    await walkFiles(files, walk, async (file) => {
      isEnough = !(await visitOnce(file.path))
      return !isEnough
    })
    if (isEnough) return
  }
}
