import { ToolFailure } from '../../core/error.ts'
import type { Files, Walk, WalkEntry } from '../../core/powers.ts'
import { isIgnored, levelAt, openLevel, pathIn, sourceByWalk, takeVisits } from './ignore-level.ts'
import type { IgnoreLevel } from './ignore-level.ts'
import { SLICE } from './walk-files.ts'
import type { Scope, VisitFile, WalkRequest } from './walk-files.ts'

/** A folder that was met; `entries` is what it holds directly, ignored or not, and null if that was not counted. */
export interface MetFolder {
  readonly path: string
  readonly entries: number | null
  readonly ignored: boolean
}

/** The folders of a walk, and whether it saw everything. */
export interface WalkedLevels {
  readonly folders: readonly MetFolder[]
  readonly isAll: boolean
}

interface OpenFolder {
  readonly path: string
  /** Null for the start, whose rules are all found by its path. */
  readonly above: IgnoreLevel | null
  readonly scope: Scope
  readonly depth: number
  /** Absolute places on the way here, links followed. */
  readonly places: readonly string[]
}

/**
 * Visits the files below a folder level by level, except those that ignore files name, so that a walk that stops early
 * has seen what is near the top. Ignored folders are met but not entered.
 */
export async function walkLevels(
  files: Files,
  request: WalkRequest,
  visit: VisitFile,
): Promise<WalkedLevels> {
  const effort = { steps: 0 }
  const context = { files, patterns: request.patterns, notes: request.notes, effort }
  const met = new Map<string, { ignored: boolean; entries: number | null }>()
  const start = files.follow(request.start === '' ? '.' : request.start)?.place ?? ''
  const queue: OpenFolder[] = [
    { path: request.start, above: null, scope: request.scope, depth: 0, places: [start] },
  ]
  let untilPause = SLICE
  let isAll = true
  for (let at = 0; isAll && at < queue.length; at++) {
    const folder = queue[at]
    if (folder === undefined) break
    const walk = openWalk(files, folder)
    if (walk === null) continue
    try {
      isAll = await visitFolder(folder, walk)
    } finally {
      walk.close()
    }
  }
  const folders: MetFolder[] = []
  for (const [path, { ignored, entries }] of met)
    folders.push({ path, entries: entries ?? (await countEntries(path)), ignored })
  return { folders, isAll }

  /** Counts what a folder holds that was not walked; null if the budget is used up before the end. */
  async function countEntries(path: string): Promise<number | null> {
    const walk = request.budget.left < 0 ? null : unlessUnreadable(() => files.startWalk(path))
    if (walk === null) return request.budget.left < 0 ? null : 0
    try {
      let entries = 0
      for (; walk.next() !== null; entries++) {
        if (--request.budget.left < 0) return null
        if (--untilPause <= 0) await pause()
      }
      return entries
    } finally {
      walk.close()
    }
  }

  /** Lets other work run, and stops if the call was cancelled. */
  async function pause(): Promise<void> {
    untilPause = SLICE
    await new Promise((resolve) => setImmediate(resolve))
    request.signal.throwIfAborted()
  }

  /** Visits the files of one folder, and queues its folders; false if the walk ends here. */
  async function visitFolder(folder: OpenFolder, walk: Walk): Promise<boolean> {
    const level =
      folder.above === null
        ? levelAt(context, folder.path)
        : openLevel(folder.above, folder.path, sourceByWalk(context, walk, folder.path))
    let entries = 0
    for (let entry = walk.next(); entry !== null; entry = walk.next()) {
      entries++
      const visits = 1 + takeVisits(effort)
      request.budget.left -= visits
      if (request.budget.left < 0) return false
      untilPause -= visits
      if (untilPause <= 0) await pause()
      const wanted = visitEntry(entry, folder, level)
      if (!(typeof wanted === 'boolean' ? wanted : await wanted)) return false
    }
    const known = met.get(folder.path)
    if (known !== undefined) known.entries = entries
    return true
  }

  function visitEntry(entry: WalkEntry, folder: OpenFolder, level: IgnoreLevel): boolean | Promise<boolean> {
    const { name, kind } = entry
    const path = pathIn(folder.path, name)
    const target = kind === 'symlink' && request.followLinks ? files.follow(path) : null
    const shown = target === null ? kind : target.kind
    if (shown === 'file') {
      if (!folder.scope.includes(name) || isIgnored(level, name, false)) return true
      return visit({ path, stat: () => target ?? entry.stat() })
    }
    const scope = shown === 'dir' ? folder.scope.enter(name) : null
    if (scope === null) return true
    const here = folder.places.at(-1) ?? ''
    if (target !== null && isCircle(target.place, folder.places)) return true
    const ignored = isIgnored(level, name, true)
    met.set(path, { ignored, entries: null })
    const depth = folder.depth + 1
    if (ignored || depth >= request.maxDepth) return true
    const places =
      target === null ? [...folder.places.slice(0, -1), `${here}/${name}`] : [...folder.places, target.place]
    queue.push({ path, above: level, scope, depth, places })
    return true
  }
}

/** Whether a link leads to a folder that the walk is already inside. */
function isCircle(target: string, ways: readonly string[]): boolean {
  return ways.some((way) => way === target || way.startsWith(target === '/' ? '/' : `${target}/`))
}

/** A walk of one folder; null if it cannot be read, unless it is the start. */
function openWalk(files: Files, { path, depth }: OpenFolder): Walk | null {
  if (depth === 0) return files.startWalk(path === '' ? '.' : path)
  return unlessUnreadable(() => files.startWalk(path))
}

function unlessUnreadable(begin: () => Walk): Walk | null {
  try {
    return begin()
  } catch (thrown) {
    if (!(thrown instanceof ToolFailure) || thrown.error.code === 'resource_exhausted') throw thrown
    return null
  }
}
