import { ToolFailure } from '../../core/error.ts'
import type { EntryFault, EntryStat, Files, Walk, WalkEntry } from '../../core/powers.ts'
import {
  isIgnored,
  levelAt,
  openLevel,
  pathIn,
  sourceByPath,
  sourceByWalk,
  takeVisits,
} from './ignore-level.ts'
import type { IgnoreLevel } from './ignore-level.ts'
import type { IgnoreNotes } from './ignore-notes.ts'

/** Which names in a folder are wanted. */
export interface Scope {
  /** Whether a file of that name is wanted. */
  readonly includes: (name: string) => boolean
  /** The scope in a folder of that name; null if nothing below it can be wanted. */
  readonly enter: (name: string) => Scope | null
}

/** Where to look for files, and how far. */
export interface WalkRequest {
  /** A folder, relative to the root; '' is the root. A path requested by name is never ignored itself. */
  readonly start: string
  readonly scope: Scope
  readonly maxDepth: number
  readonly followLinks: boolean
  /** The configured ignore patterns. */
  readonly patterns: readonly string[]
  /** How many names may still be visited; several walks may share it. Judging a name may count as several visits. */
  readonly budget: { left: number }
  readonly signal: AbortSignal
  /** Is told about ignore files that could not be honoured. */
  readonly notes: IgnoreNotes
}

/** A file that was found; its metadata is available only while it is being visited. */
export interface FoundFile {
  readonly path: string
  readonly stat: () => EntryStat | EntryFault
}

/** Returns whether to continue. */
export type VisitFile = (file: FoundFile) => boolean | Promise<boolean>

/** How many names are visited before yielding to other work. */
export const SLICE = 4_096

/** A walk, and the state of each folder on the path to where it is. */
interface Frame {
  readonly walk: Walk
  /** The path of the folder where it began. */
  readonly start: string
  /** The same, absolute and with links resolved. */
  readonly place: string
  readonly depth: number
  readonly folders: { readonly level: IgnoreLevel; readonly scope: Scope; readonly place: string }[]
}

/**
 * Visits the files below a folder in path order, except those that ignore files name. Returns false if the budget ran
 * out or the visitor stopped.
 */
export async function walkFiles(files: Files, request: WalkRequest, visit: VisitFile): Promise<boolean> {
  const frames: Frame[] = []
  const effort = { steps: 0 }
  const context = { files, patterns: request.patterns, notes: request.notes, effort }
  let untilPause = SLICE
  const push = (start: string, depth: number, level: IgnoreLevel, scope: Scope): void => {
    const place = files.follow(start === '' ? '.' : start)?.place ?? ''
    const walk = files.startWalk(start === '' ? '.' : start)
    frames.push({ walk, start, place, depth, folders: [{ level, scope, place }] })
  }
  try {
    push(request.start, 0, levelAt(context, request.start), request.scope)
    for (let frame = frames.at(-1); frame !== undefined; frame = frames.at(-1)) {
      const entry = frame.walk.next()
      if (entry === null) {
        frame.walk.close()
        frames.pop()
        continue
      }
      const visits = 1 + takeVisits(effort)
      request.budget.left -= visits
      if (request.budget.left < 0) return false
      untilPause -= visits
      if (untilPause <= 0) {
        untilPause = SLICE
        await new Promise((resolve) => setImmediate(resolve))
        request.signal.throwIfAborted()
      }
      const file = visitEntry(entry, frame)
      if (file === null) continue
      const wanted = visit(file)
      if (!(typeof wanted === 'boolean' ? wanted : await wanted)) return false
    }
    return true
  } finally {
    for (const { walk } of frames) walk.close()
  }

  /** Enters a folder, or returns a file that is included. */
  function visitEntry(entry: WalkEntry, frame: Frame): FoundFile | null {
    const { name, kind } = entry
    const folder = frame.folders[entry.depth - 1]
    if (folder === undefined) return null
    const isFollowed = kind === 'symlink' && request.followLinks
    if (kind === 'file') {
      if (!folder.scope.includes(name) || isIgnored(folder.level, name, false)) return null
      return { path: pathIn(frame.start, entry.path), stat: () => entry.stat() }
    }
    if (kind !== 'dir' && !isFollowed) return null
    const path = pathIn(frame.start, entry.path)
    const target = isFollowed ? files.follow(path) : null
    if (target?.kind === 'file') {
      return folder.scope.includes(name) && !isIgnored(folder.level, name, false)
        ? { path, stat: () => target }
        : null
    }
    if (isFollowed && target?.kind !== 'dir') return null
    const depth = frame.depth + entry.depth
    const scope = depth < request.maxDepth ? folder.scope.enter(name) : null
    if (scope === null || isIgnored(folder.level, name, true)) return null
    if (target !== null) {
      if (!isCircle(target.place, folder.place))
        unlessUnreadable(() =>
          push(path, depth, openLevel(folder.level, path, sourceByPath(context, path)), scope),
        )
      return null
    }
    if (frame.walk.enter() !== null) return null
    frame.folders.length = entry.depth
    const level = openLevel(folder.level, path, sourceByWalk(context, frame.walk, path))
    frame.folders.push({ level, scope, place: `${folder.place}/${name}` })
    return null
  }

  /** Whether a link leads to a folder that the walk is already inside. */
  function isCircle(target: string, here: string): boolean {
    const ways = [here, ...frames.slice(0, -1).map(({ folders }) => folders.at(-1)?.place ?? '')]
    return ways.some((way) => way === target || way.startsWith(target === '/' ? '/' : `${target}/`))
  }
}

function unlessUnreadable(begin: () => void): void {
  try {
    begin()
  } catch (thrown) {
    if (!(thrown instanceof ToolFailure) || thrown.error.code === 'resource_exhausted') throw thrown
  }
}
