/** The owner of a file. */
export interface Owner {
  readonly uid: number
  readonly gid: number
}

const SETGID = 0o2000

/** The owner that the system gives to what this process makes in a folder: with the setgid bit, the folder decides about the group. */
export function ownerBelow(folder: (Owner & { readonly mode: number }) | null): Owner {
  const own = { uid: process.geteuid?.() ?? 0, gid: process.getegid?.() ?? 0 }
  return folder !== null && (folder.mode & SETGID) !== 0 ? { ...own, gid: folder.gid } : own
}

/**
 * The owner that this process can give a replaced or new file: the wanted one if the system allows it. It allows the group
 * that the file got when it was `made`, too.
 */
export function ownerAfter(wanted: Owner, made: Owner = ownerBelow(null)): Owner {
  const { uid, gid } = ownerBelow(null)
  if (uid === 0) return { uid: wanted.uid, gid: wanted.gid }
  const groups = [gid, made.gid, ...(process.getgroups?.() ?? [])]
  return { uid, gid: groups.includes(wanted.gid) ? wanted.gid : gid }
}

/** Setuid and setgid. */
const SPECIAL_BITS = 0o6000

/** The owner and mode that this process can give a file that comes back. Rights that were its owner's go with the owner. */
export function givable(
  { uid, gid, mode }: Owner & { readonly mode: number },
  made: Owner,
): Owner & { readonly mode: number } {
  const owner = ownerAfter({ uid, gid }, made)
  const isSame = owner.uid === uid && owner.gid === gid
  return { ...owner, mode: isSame ? mode : mode & ~SPECIAL_BITS }
}

/** The mode with which programs make a file, before anything is taken from it. */
export const WHOLE_FILE_MODE = 0o666

/** The mode a new file gets from the umask of this process. */
export function newFileMode(): number {
  return WHOLE_FILE_MODE & ~process.umask()
}
