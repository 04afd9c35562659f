import { isAbsolute, resolve } from 'node:path'
import { failure } from '../../../core/error.ts'
import type { ToolFailure } from '../../../core/error.ts'
import { realPathOf } from '../../confine/inspect-path.ts'
import { isBelow } from '../../confine/mount.ts'
import { showPath } from '../../root/rel-path.ts'
import { findWay, stepsByName } from '../../way/find-way.ts'
import { followWay } from '../../way/follow-way.ts'
import type { Way } from '../../way/follow-way.ts'
import type { Effort } from './effort.ts'

/** Where a path leads with all links followed, though its end may not exist, and the links on the way. */
export type FollowedName = Omit<Way, 'end'>

/** What a process has open has no name by which anything could be put there. */
const DESCRIPTOR = /\/fd\/\d+$/

/**
 * Follows an absolute path part by part; null if it leads in a circle, is too long to lead anywhere, or leads to what a
 * process has open. Throws if it leads each program elsewhere: git would be led where nobody looked.
 */
export function followNamedPath(path: string, effort: Effort): FollowedName | null {
  const { end, ...followed } = traceNamedPath(path, effort)
  return end === 'nowhere' || end === 'depends' ? null : followed
}

/** The same, but of what leads nowhere what was passed before it was given up. */
export function traceNamedPath(path: string, effort: Effort): Way {
  const way = followWay(path, stepsByName(effort.kindOf), { spend: effort.spend })
  if (way.end === 'depends' && !DESCRIPTOR.test(way.real)) throw leadsElsewhere(path, way.real)
  return way
}

/** The real path of what git looks for, or null if there is nothing. Throws if git would be led elsewhere than we are. */
export function realGitPath(path: string): string | null {
  const real = realPathOf(path)
  if (real !== null) return real
  const way = findWay(path)
  if (way.end === 'depends') throw leadsElsewhere(path, way.real)
  return null
}

function leadsElsewhere(path: string, real: string): ToolFailure {
  return failure(
    'not_allowed',
    `${showPath(path)} goes through ${showPath(real)}, which leads each program elsewhere; let it name the file or folder itself`,
    { path: showPath(path) },
  )
}

/** Joins paths as the kernel would: `..` is not resolved by name, because it may stand behind a link. */
export function pathFrom(base: string, path: string): string {
  return isAbsolute(path) ? path : `${base}/${path}`
}

/** The innermost of some folders that a path is in, or null. */
export function holderOf(path: string, folders: readonly string[]): string | null {
  const holders = folders.filter((folder) => isBelow(path, resolve(folder)))
  return holders.toSorted((a, b) => b.length - a.length)[0] ?? null
}
