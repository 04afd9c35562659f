import { lstatSync } from 'node:fs'
import { dirname } from 'node:path'
import { followPath } from './follow-path.ts'

const OTHERS_WRITE = 0o002
const GROUP_WRITES = 0o020
/** In such a folder only owners rename and remove what is theirs. */
const STICKY = 0o1000

/**
 * A folder on the way to a path in which other users could put something else in the place of the next name; null if there
 * is none. However private a folder is, who may rename it decides what its path leads to. The owner of the whole disk could
 * do anything anyway; that is not always user 0, as in a user namespace. A group that people have for themselves is theirs.
 */
export function findLooseFolder(path: string): string | null {
  const uid = process.geteuid?.()
  if (uid === undefined) return null
  const trusted = new Set([0, uid, lstatSync('/').uid])
  const group = process.getegid?.()
  const { links, end } = followPath(path)
  const judged = new Set<string>()
  for (const name of [...links, end])
    for (let at = dirname(name); !judged.has(at); at = dirname(at)) {
      judged.add(at)
      const found = lstatSync(at, { throwIfNoEntry: false })
      // What does not exist yet is made by us.
      if (found === undefined) continue
      if (!trusted.has(found.uid)) return at
      const isGroups = (found.mode & GROUP_WRITES) !== 0 && found.gid !== group && found.gid !== 0
      const isOpen = (found.mode & OTHERS_WRITE) !== 0 || isGroups
      if (isOpen && (found.mode & STICKY) === 0) return at
    }
  return null
}
