import { Buffer } from 'node:buffer'
import type { Attributes } from '../fs/pax.ts'

export const ACCESS_LIST = 'system.posix_acl_access'
/** Of a folder: what the system gives to whatever is made in it. */
const DEFAULT_LIST = 'system.posix_acl_default'

/** Whom an entry of an access list is for. */
const TAG = { owner: 0x01, user: 0x02, ownGroup: 0x04, group: 0x08, mask: 0x10, others: 0x20 } as const
/** The entries that a change of the mode leaves alone. */
const LASTING_TAGS = new Set<number>([TAG.user, TAG.ownGroup, TAG.group])

const HEADER_BYTES = 4
const ENTRY_BYTES = 8
const RIGHTS_AT = 2
const ID_AT = 4
const NO_ID = 0xffffffff
/** The header alone, which takes a default list away. */
const NO_LIST = Buffer.of(2, 0, 0, 0)
const NONE: Attributes = new Map()

/** What the system gives to a name that is made in a folder. */
export interface NewAccess {
  readonly mode: number
  readonly list: Uint8Array | null
}

/** The default access list among the attributes of a folder; null if it has none. */
export function defaultListIn(attributes: Attributes | null): Uint8Array | null {
  return attributes?.get(DEFAULT_LIST) ?? null
}

/** The access lists among attributes. */
export function listsIn(attributes: Attributes): Attributes {
  return new Map([...attributes].filter(([name]) => name === ACCESS_LIST || name === DEFAULT_LIST))
}

/** The access that something made with this mode in a folder with this default list has: the list counts in place of the umask. */
export function accessBelow(defaults: Uint8Array, mode: number): NewAccess {
  const list = Buffer.from(defaults)
  const tags = entriesOf(list).map((at) => list.readUInt16LE(at))
  const hasMask = tags.includes(TAG.mask)
  let given = mode & ~0o777
  for (const at of entriesOf(list)) {
    const shift = shiftOf(list.readUInt16LE(at), hasMask)
    if (shift === null) continue
    const rights = list.readUInt16LE(at + RIGHTS_AT) & (mode >> shift)
    list.writeUInt16LE(rights & 0o7, at + RIGHTS_AT)
    given |= (rights & 0o7) << shift
  }
  const isMore = tags.some((tag) => tag === TAG.user || tag === TAG.group || tag === TAG.mask)
  return { mode: given, list: isMore ? list : null }
}

/** Attributes with an access list, if it says more than the mode. */
export function withList(attributes: Attributes, list: Uint8Array | null): Attributes {
  return list === null ? attributes : new Map([...attributes, [ACCESS_LIST, list]])
}

/**
 * What has to be set so that a name made in a folder with this default list ends with exactly these attributes, as the
 * system has given it a list of its own. Null if nothing has to be: that list is the one it is to have, but for its mode.
 */
export function attributesBelow(
  defaults: Uint8Array,
  wanted: Attributes,
  { mode, kind }: { readonly mode: number; readonly kind?: string },
): Attributes | null {
  const given = withList(NONE, accessBelow(defaults, mode).list)
  const isGiven =
    given.size === (wanted.has(ACCESS_LIST) ? 1 : 0) && describeList(given) === describeList(wanted)
  const ownDefaults = kind === 'folder' ? (wanted.get(DEFAULT_LIST) ?? NO_LIST) : defaults
  const isDefault = Buffer.compare(ownDefaults, defaults) === 0
  const hasOthers = [...wanted.keys()].some((name) => name !== ACCESS_LIST && name !== DEFAULT_LIST)
  if (isGiven && isDefault && !hasOthers) return null
  return new Map([
    ...wanted,
    [ACCESS_LIST, wanted.get(ACCESS_LIST) ?? listOfMode(mode)],
    ...(kind === 'folder' ? ([[DEFAULT_LIST, ownDefaults]] as const) : []),
  ])
}

/**
 * The mode of a name that has lost its access list: what the mode says about the group was only the limit of that list. The
 * same if its attributes are not known any more, as they may have held one.
 */
export function modeWithoutList(mode: number, attributes: Attributes | null): number {
  return attributes === null || attributes.has(ACCESS_LIST) ? mode & ~0o070 : mode
}

/** What an access list says besides the mode, in a form that can be compared; empty without a list. */
export function describeList(attributes: Attributes): string {
  const list = Buffer.from(attributes.get(ACCESS_LIST) ?? [])
  return entriesOf(list)
    .filter((at) => LASTING_TAGS.has(list.readUInt16LE(at)))
    .map((at) => list.toString('hex', at, at + ENTRY_BYTES))
    .join(' ')
}

/** A list that gives the rights of a mode, with what it says besides. */
export function listWithMode(wanted: Uint8Array, mode: number): Uint8Array {
  const list = Buffer.from(wanted)
  const hasMask = entriesOf(list).some((at) => list.readUInt16LE(at) === TAG.mask)
  for (const at of entriesOf(list)) {
    const shift = shiftOf(list.readUInt16LE(at), hasMask)
    if (shift !== null) list.writeUInt16LE((mode >> shift) & 0o7, at + RIGHTS_AT)
  }
  return list
}

/** Where the entries of a list begin. */
function entriesOf(list: Uint8Array): readonly number[] {
  const count = Math.floor((list.length - HEADER_BYTES) / ENTRY_BYTES)
  return Array.from({ length: Math.max(count, 0) }, (_, index) => HEADER_BYTES + index * ENTRY_BYTES)
}

/** How far from the end of a mode the rights of an entry stand; null for one that a mode does not name. */
function shiftOf(tag: number, hasMask: boolean): number | null {
  if (tag === TAG.owner) return 6
  if (tag === (hasMask ? TAG.mask : TAG.ownGroup)) return 3
  return tag === TAG.others ? 0 : null
}

/** A list that says no more than a mode. */
function listOfMode(mode: number): Uint8Array {
  const entries = [
    [TAG.owner, mode >> 6],
    [TAG.ownGroup, mode >> 3],
    [TAG.others, mode],
  ] as const
  const list = Buffer.concat([NO_LIST, Buffer.alloc(entries.length * ENTRY_BYTES)])
  for (const [index, [tag, rights]] of entries.entries()) {
    const at = HEADER_BYTES + index * ENTRY_BYTES
    list.writeUInt16LE(tag, at)
    list.writeUInt16LE(rights & 0o7, at + RIGHTS_AT)
    list.writeUInt32LE(NO_ID, at + ID_AT)
  }
  return list
}
