import { shortLines } from '../../../core/text/short-lines.ts'
import { lstatSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { showPath } from '../../root/rel-path.ts'
import { isRootOfSystem } from '../../system/process.ts'

/** What programs say of a file whose group the system does not know on a layer, with its name before or behind. */
const REFUSALS = [
  /['"`‘]([^'"`’]{1,4096})['"’]: Value too large for defined data type/,
  /(\S{1,4096}): Value too large for defined data type/,
  /EOVERFLOW:.*'([^']{1,4096})'/,
]

/** Says why a command could not change a file of another group than the user's own; null if that was not the matter. */
export function explainGroup(output: string, folder: string): string | null {
  for (const line of shortLines(output))
    for (const refusal of REFUSALS) {
      const name = refusal.exec(line)?.[1]
      const gid = name === undefined ? null : otherGroupOf(resolve(folder, name))
      if (name !== undefined && gid !== null)
        return `${showPath(name)} is of the group ${gid}, and an ordinary user can change files of another group than their own on no overlay. A person can give it to their own group (chgrp), or set tools.shell.layer = "off".`
    }
  return null
}

/** The group of a file, or of the folder in which it would be made, if it is not the user's own. */
function otherGroupOf(path: string): number | null {
  for (const at of [path, dirname(path)])
    try {
      const gid = lstatSync(at, { throwIfNoEntry: false })?.gid
      if (gid !== undefined && gid !== process.getegid?.()) return gid
    } catch {
      // What cannot be looked at is not named.
    }
  return null
}

/** Why an overlay over a root of a team's group is of little use, as the end of a sentence; null if there is none. */
export function describeOtherGroup(roots: readonly string[]): string | null {
  if (isRootOfSystem()) return null
  const others = new Set((process.getgroups?.() ?? []).filter((gid) => gid !== process.getegid?.()))
  // A copy could not keep a group that the user is not in.
  const root = roots.find((path) => others.has(lstatSync(path).gid))
  if (root === undefined) return null
  return `${showPath(root)} is of the group ${lstatSync(root).gid}, and only root can change files of another group than its own on an overlay`
}
