import { basename, dirname, join } from 'node:path'
import { kindOrMissing } from '../confine/inspect-path.ts'
import { platform } from '../system/platform.ts'
import { isBelow } from '../confine/mount.ts'
import { isBare, missingParts, REPOSITORY_NAMES } from './find-repositories.ts'
import { createEffort } from './follow/effort.ts'
import { holderOf } from './follow/follow-named-path.ts'

/** Outside Linux, names that differ only in case usually mean the same file. */
const isNamed = (name: string, wanted: string): boolean =>
  name === wanted || (platform !== 'linux' && name.toLowerCase() === wanted.toLowerCase())

/**
 * The folder that a new file would help to turn into a repository without a work tree, or null. Git takes a folder with
 * the right names for one, and obeys the file `config` in it or where `commondir` leads. Of the names, `HEAD` is hardly ever
 * anything else, so it is not created at all; the others are not created beside it. Those of a repository stay as they are:
 * without one of them it is none, and what is in it would be ordinary files until the name is back.
 */
export function findNewRepository(roots: readonly string[], absolute: string): string | null {
  for (let at = absolute; holderOf(dirname(at), roots) !== null; at = dirname(at)) {
    const folder = dirname(at)
    const name = REPOSITORY_NAMES.find((one) => isNamed(basename(at), one))
    if (name === undefined) continue
    if (isBare(folder)) return folder
    if (kindOrMissing(at) !== 'missing') continue
    if (name === 'HEAD' ? at === absolute : kindOrMissing(join(folder, 'HEAD')) !== 'missing') return folder
  }
  return null
}

/**
 * The folder that only lacks what would be made with a new file: its links lead to the folder of that file, or to one above it.
 * `named` are the folders that have the names of a repository; finding them takes a look at every folder, so it is done only
 * if a folder is made.
 */
export function findCompleted(named: () => readonly string[], absolute: string): string | null {
  if (kindOrMissing(dirname(absolute)) !== 'missing') return null
  const isPart = (part: string): boolean =>
    (isBelow(absolute, part) || isBelow(part, absolute)) && kindOrMissing(part) === 'missing'
  const effort = createEffort()
  return named().find((folder) => missingParts(folder, effort).some(isPart)) ?? null
}
