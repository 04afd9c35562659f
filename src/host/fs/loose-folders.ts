import { Buffer } from 'node:buffer'
import { lstatSync, readFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { findAttributed, readFolderAttributes } from './attributes.ts'
import { followPath } from './follow-path.ts'

const OTHERS_WRITE = 0o002
const GROUP_WRITES = 0o020
/** In such a folder only owners rename and remove what is theirs. */
const STICKY = 0o1000

/**
 * A folder on the way to a path in which other users could put something else in the place of the next name; null if there
 * is none. However private a folder is, who may rename it decides what its path leads to. The owner of the whole disk could
 * do anything anyway; that is not always user 0, as in a user namespace. A group that people have for themselves is theirs.
 * In a folder with an access list, what the mode says about the group is the limit for everybody whom the list names.
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
      if ((found.mode & STICKY) !== 0) continue
      if ((found.mode & OTHERS_WRITE) !== 0) return at
      if ((found.mode & GROUP_WRITES) === 0) continue
      const isOwn = found.gid === 0 || (found.gid === group && !isShared(found.gid, uid))
      if (!isOwn || namesOthers(at, trusted, new Set([0, group]))) return at
    }
  return null
}

/** Whether the lists of this machine name another user of a group; groups of a directory service are taken to be private. */
function isShared(gid: number, uid: number): boolean {
  const users = readList('/etc/passwd').map(([name, , id, group]) => ({ name, id, group }))
  if (users.some(({ id, group }) => Number(group) === gid && Number(id) !== uid)) return true
  const own = new Set(users.filter(({ id }) => Number(id) === uid).map(({ name }) => name))
  const members = readList('/etc/group').flatMap(([, , id, names = '']) =>
    Number(id) === gid ? names.split(',') : [],
  )
  return members.some((name) => name !== '' && !own.has(name))
}

function readList(path: string): readonly (readonly string[])[] {
  try {
    return readFileSync(path, 'utf8')
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => line.split(':'))
  } catch {
    return []
  }
}

const LIST = 'system.posix_acl_access'
const HERE = Buffer.from('.')
const NAMED_USER = 0x02
const NAMED_GROUP = 0x08
const WRITE = 0x02
const HEADER_BYTES = 4
const ENTRY_BYTES = 8

/** Whether the access list of a folder lets others write; one that cannot be read may. */
function namesOthers(
  folder: string,
  users: ReadonlySet<number>,
  groups: ReadonlySet<number | undefined>,
): boolean {
  if (findAttributed([folder]).size === 0) return false
  const [attributes] = readFolderAttributes(folder, [HERE]) ?? []
  if (attributes === undefined) return true
  const list = Buffer.from(attributes.get(LIST) ?? [])
  for (let at = HEADER_BYTES; at + ENTRY_BYTES <= list.length; at += ENTRY_BYTES) {
    if ((list.readUInt16LE(at + 2) & WRITE) === 0) continue
    const [tag, id] = [list.readUInt16LE(at), list.readUInt32LE(at + 4)]
    if ((tag === NAMED_USER && !users.has(id)) || (tag === NAMED_GROUP && !groups.has(id))) return true
  }
  return false
}
