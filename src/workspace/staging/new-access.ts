import { newFileMode, ownerAfter, ownerBelow, WHOLE_FILE_MODE } from '../../host/fs/owner.ts'
import type { Owner } from '../../host/fs/owner.ts'
import { folderOf } from '../../host/root/rel-path.ts'
import type { Root } from '../../host/root/root.ts'
import { digest } from '../../host/system/hash.ts'
import type { Digest, FileState } from '../../journal/entries/entry.ts'
import { formatAttributes, parseAttributes } from '../landing/attribute-cache.ts'
import type { AttributesFound } from '../landing/attribute-cache.ts'
import { accessBelow, defaultListIn, withList } from '../../host/root/access-list.ts'
import { nearestFolder } from '../landing/checks/obstacles.ts'
import { placeOf } from '../landing/place-of.ts'
import type { Located } from '../sandbox/sandbox.ts'

/** The folder that decides what a new name gets: the one it is made in, or the nearest that is there already. */
export function folderAround({ root, rel }: Located): { readonly root: Root; readonly path: string } {
  return { root, path: nearestFolder(root, folderOf(rel)) }
}

/** Owner, mode and access list that the system gives to a new file. `payloads` gets the list. */
export function newAccess(
  at: Located,
  attributes: AttributesFound,
  payloads: Map<Digest, Uint8Array>,
): Omit<FileState, 'digest'> {
  const { root, path } = folderAround(at)
  const owner = ownerBelow(root.stat(path))
  const named = attributes.digests.get(placeOf(root.path, path))
  const payload = named === undefined ? undefined : attributes.payloads.get(named)
  const defaults = payload === undefined ? null : defaultListIn(parseAttributes(payload))
  if (defaults === null) return { ...owner, mode: newFileMode() }
  const { mode, list } = accessBelow(defaults, WHOLE_FILE_MODE)
  const own = formatAttributes(withList(new Map(), list))
  if (own === null) return { ...owner, mode }
  payloads.set(digest(own), own)
  return { ...owner, mode, attributes: digest(own) }
}

/** The owner that a file can have in place of another: the same if the system allows it, as it does for the group of a setgid folder. */
export function ownerInPlace(at: Located, wanted: Owner): Owner {
  const owner = ownerAfter(wanted)
  if (owner.gid === wanted.gid) return owner
  const { root, path } = folderAround(at)
  return ownerAfter(wanted, ownerBelow(root.stat(path)))
}
