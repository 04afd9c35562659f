/** The owner of a file. */
export interface Owner {
  readonly uid: number
  readonly gid: number
}

/** The owner that this process can give a replaced or new file: the previous one if the system allows it. */
export function ownerAfter(before: Owner | null): Owner {
  const uid = process.geteuid?.() ?? 0
  const gid = process.getegid?.() ?? 0
  if (before === null) return { uid, gid }
  if (uid === 0) return { uid: before.uid, gid: before.gid }
  const groups = process.getgroups?.() ?? []
  return { uid, gid: before.gid === gid || groups.includes(before.gid) ? before.gid : gid }
}

/** Setuid and setgid. */
const SPECIAL_BITS = 0o6000

/** The owner and mode that this process can give a file that comes back. Rights that were its owner's go with the owner. */
export function givable({ uid, gid, mode }: Owner & { readonly mode: number }): Owner & {
  readonly mode: number
} {
  const owner = ownerAfter({ uid, gid })
  const isSame = owner.uid === uid && owner.gid === gid
  return { ...owner, mode: isSame ? mode : mode & ~SPECIAL_BITS }
}

/** The mode a new file gets from the umask of this process. */
export function newFileMode(): number {
  return 0o666 & ~process.umask()
}
