import type { Way } from './follow-way.ts'

/** A link by which a path leaves a folder that it lies in. */
export interface FoundExit {
  /** The path of the link. */
  readonly link: string
  /** Where the path leads by it. */
  readonly real: string
  /** The folder that is left. */
  readonly root: string
}

/**
 * Finds the link by which a path that goes through one of these folders leaves it; null if it does not. The
 * folders have no links in their own paths; what lies in them may have been put there by a tool or a command.
 */
export function findExit({ links, real, end }: Way, roots: readonly string[]): FoundExit | null {
  for (const root of roots) {
    const isInside = (one: string): boolean => one.startsWith(root === '/' ? root : `${root}/`)
    const link = links.findLast((one) => isInside(one.path))
    if (link !== undefined && (end === 'depends' || (real !== root && !isInside(real))))
      return { link: link.path, real, root }
  }
  return null
}
