import type { SearchVisitor } from '../../core/powers.ts'
import { compareCodePoints } from '../../core/text/compare.ts'
import { isBinary } from '../reading/bytes.ts'
import type { CutReason } from './cut-reason.ts'

/** The files of a search with their number of matches. */
export interface CollectedFiles {
  readonly visitor: SearchVisitor
  /** Sorted by path. */
  readonly ordered: () => readonly { readonly path: string; readonly matches: number }[]
  /** Which limit left out others; null if none did. */
  readonly cutBy: () => CutReason | null
}

/** Counts matches by file, or only notes that a file has one, until there are enough files. */
export function collectFiles(
  { maxFiles, areCounted }: { readonly maxFiles: number; readonly areCounted: boolean },
  includes: (path: string) => boolean,
  emit: (text: string) => void,
): CollectedFiles {
  const found = new Map<string, number>()
  let current: string | null = null
  let cutBy: CutReason | null = null
  const visitor: SearchVisitor = {
    includes,
    open(path, content) {
      current = isBinary(content, true) ? null : path
      return current !== null
    },
    match() {
      if (current === null) return 'next_file'
      if (!found.has(current) && found.size === maxFiles) {
        cutBy = 'max_results'
        return 'stop'
      }
      found.set(current, (found.get(current) ?? 0) + 1)
      return areCounted ? 'more' : 'next_file'
    },
    tick: () => emit(`Still searching; matches in ${found.size} files so far.\n`),
  }
  return {
    visitor,
    ordered: () =>
      [...found]
        .map(([path, matches]) => ({ path, matches }))
        .toSorted((a, b) => compareCodePoints(a.path, b.path)),
    cutBy: () => cutBy,
  }
}
