import { dirname } from 'node:path'
import { latin1Name } from '../root/exact-name.ts'

/** A link and where it leads, byte for byte. */
export interface FoundLink {
  readonly path: string
  readonly target: string
}

/** What a name in a folder is. */
export type Step =
  | { readonly is: 'folder' | 'file' | 'other' | 'missing' }
  | { readonly is: 'link'; readonly target: string }
  /** A link that the system makes for a process: it leads to what the process has there. */
  | { readonly is: 'of a process' }

/** Looks at names, one after the other; the place moves only into folders. Paths and names are exact. */
export interface Steps {
  readonly toTop: () => void
  readonly toParent: () => void
  /** Looks at a name in the folder of the place; `at` is its path. */
  readonly take: (name: string, at: string) => Step
}

/** Where a path leads, byte for byte. */
export interface Way {
  /**
   * `depends` if the way goes through what belongs to a process, as `/proc/self/cwd` does, so that it leads each program
   * that follows it elsewhere; `nowhere` if it goes in a circle, or is too long to lead anywhere.
   */
  readonly end: 'there' | 'missing' | 'nowhere' | 'depends'
  /** Without links. What does not exist keeps its name; of a way that leads nowhere, as far as it was followed. */
  readonly real: string
  readonly links: readonly FoundLink[]
  /** Folders that the path goes through and leaves again by `..`, also missing ones: a link there would lead elsewhere. */
  readonly left: readonly string[]
}

/** The kernel gives up after as many. */
const MAX_LINKS = 40
/** The kernel accepts no longer path. */
export const PATH_MAX = 4_096
/** Git starts a relative path in a folder that has one of that length itself. */
const MAX_LENGTH = 2 * PATH_MAX
/** The kernel accepts no longer name. */
const NAME_MAX = 255

/**
 * Follows a path part by part, from the top or from a folder without links in which the steps begin. `spend` counts the
 * characters that are gone through besides.
 */
export function followWay(
  path: string,
  steps: Steps,
  {
    from = '/',
    spend = () => undefined,
  }: { readonly from?: string; readonly spend?: (n: number) => void } = {},
): Way {
  spend(path.length)
  const links: FoundLink[] = []
  const left = new Set<string>()
  const waiting = partsOf(path)
  let real = from
  if (path.startsWith('/')) {
    real = '/'
    steps.toTop()
  }
  /** Nothing is below it: it is missing, or no folder. */
  let closed: string | null = null
  let isThere = true
  const ended = (end: Way['end']): Way => ({ end, real, links, left: [...left] })
  for (let part = waiting.pop(); part !== undefined; part = waiting.pop()) {
    if (part === '.') continue
    if (part === '..') {
      spend(real.length)
      left.add(real)
      real = dirname(real)
      if (closed === null) steps.toParent()
      else isThere = false
      if (closed !== null && real.length < closed.length) closed = null
      continue
    }
    const at: string = real === '/' ? `/${part}` : `${real}/${part}`
    if (at.length > MAX_LENGTH || latin1Name(part).length > NAME_MAX) return ended('nowhere')
    const step: Step = closed === null ? steps.take(part, at) : { is: 'missing' }
    if (step.is === 'of a process') {
      real = at
      return ended('depends')
    }
    if (step.is !== 'link') {
      real = at
      if (step.is === 'missing') isThere = false
      if (step.is !== 'folder') closed ??= at
      continue
    }
    links.push({ path: at, target: step.target })
    if (links.length > MAX_LINKS) return ended('nowhere')
    if (step.target.startsWith('/')) {
      real = '/'
      steps.toTop()
    }
    waiting.push(...partsOf(step.target))
  }
  return ended(isThere ? 'there' : 'missing')
}

/** The parts of a path, the last one first. */
function partsOf(path: string): string[] {
  return path
    .split('/')
    .filter((part) => part !== '')
    .toReversed()
}
