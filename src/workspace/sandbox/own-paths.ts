import { foldName } from './deny-rule.ts'
import type { Intent } from './denies.ts'

/** A path in a root that belongs to Tongs itself. */
export interface OwnPath {
  /** Absolute, in one of the roots. */
  readonly path: string
  /**
   * Hidden with everything in it; shielded from changes, but readable; not there, and not to be made; or a link that leads
   * to something of ours, which must stay as it is.
   */
  readonly as: 'hidden' | 'shielded' | 'absent' | 'link'
}

/** Whether a command may read it. */
export function isReadable({ as }: OwnPath): boolean {
  return as === 'shielded' || as === 'absent'
}

/** Judges paths by what is ours: the pattern that denies one, or null. */
export type FindOwn = (absolute: string, intent: Intent) => string | null

/**
 * Denies changes to what is ours and to the folders above it: moving or deleting such a folder, or putting another in its
 * place, would change it too.
 */
export function createFindOwn(own: readonly OwnPath[]): FindOwn {
  const known = own.map(({ path, as }) => {
    const folded = foldPath(path)
    return { folded, within: `${folded}/`, as, pattern: as === 'link' ? path : `${path}/**` }
  })
  return (absolute, intent) => {
    const asked = foldPath(absolute)
    const hit = known.find(({ folded, within, as }) => {
      if (asked === folded) return as === 'hidden' || intent === 'write'
      if (asked.startsWith(within)) return as === 'hidden' || (as !== 'link' && intent === 'write')
      return intent === 'write' && as !== 'absent' && folded.startsWith(asked === '/' ? asked : `${asked}/`)
    })
    return hit?.pattern ?? null
  }
}

const ASCII = /^[\0-\x7f]*$/
/** A name that ends in what some systems drop. */
const HAS_DROPPED = /[. ](?:\/|$)/

function foldPath(path: string): string {
  if (ASCII.test(path) && !HAS_DROPPED.test(path)) return path.toLowerCase()
  return path.split('/').map(foldName).join('/')
}
