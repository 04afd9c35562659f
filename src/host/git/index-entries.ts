/** The header of an index: what it is, its version, and how many entries follow. */
export const INDEX_HEADER_BYTES = 12
/** Ten four-byte fields precede the object's name in an entry. */
export const STAT_BYTES = 40
/** The sizes of an object's name in the two repository formats. */
export const HASH_SIZES = [20, 32] as const
const EXTENDED = 0x4000
/** The length of a name, as far as the flags can say it. */
const LENGTH_MASK = 0xfff
const FIRST_NAME_BYTES = 4_096

/** One entry of an index: where it begins, where its flags are, and its path, to be asked for while it is visited. */
export interface IndexEntry {
  readonly at: number
  readonly flagsAt: number
  readonly nameBytes: number
  readonly name: () => Buffer
}

/**
 * Visits the entries of an index and returns the name of the shared index that holds the others (null for none), or
 * undefined if the index cannot be parsed with object names of this size.
 */
export function visitIndex(
  bytes: Buffer,
  hashBytes: number,
  visit: (entry: IndexEntry) => void,
): { readonly shared: string | null } | undefined {
  if (bytes.length < INDEX_HEADER_BYTES + hashBytes || bytes.toString('latin1', 0, 4) !== 'DIRC')
    return undefined
  const version = bytes.readUInt32BE(4)
  if (version < 2 || version > 4) return undefined
  const count = bytes.readUInt32BE(8)
  const end = bytes.length - hashBytes
  let at = INDEX_HEADER_BYTES
  // Only one name is kept: each may have everything of the one before it and a character more.
  let last = Buffer.alloc(FIRST_NAME_BYTES)
  let lastBytes = 0
  /** Where the entries begin that say all of their name; 0 for others. */
  const starts = new Uint32Array(Math.min(count, Math.ceil(bytes.length / STAT_BYTES)))
  for (let entry = 0; entry < count; entry++) {
    starts[entry] = at
    const flagsAt = at + STAT_BYTES + hashBytes
    if (flagsAt + 2 > end) return undefined
    const flags = bytes.readUInt16BE(flagsAt)
    const isExtended = (flags & EXTENDED) !== 0
    if (isExtended && version === 2) return undefined
    let nameAt = flagsAt + (isExtended ? 4 : 2)
    if (version === 4) {
      const strip = readOffset(bytes, nameAt, end)
      if (strip === null || strip.value > lastBytes) return undefined
      nameAt = strip.next
      if (strip.value !== lastBytes) starts[entry] = 0
      lastBytes -= strip.value
    }
    const nul = bytes.indexOf(0, nameAt)
    if (nul === -1 || nul >= end) return undefined
    const rest = bytes.subarray(nameAt, nul)
    if (version === 4) {
      if (lastBytes + rest.length > last.length) last = Buffer.concat([last], 2 * (lastBytes + rest.length))
      rest.copy(last, lastBytes)
      lastBytes += rest.length
    }
    const whole = version === 4 ? last.subarray(0, lastBytes) : rest
    // Git goes by that length, and would find other entries behind it.
    if ((flags & LENGTH_MASK) !== Math.min(whole.length, LENGTH_MASK)) return undefined
    visit({ at, flagsAt, nameBytes: whole.length, name: () => Buffer.from(whole) })
    // Entries are padded with one to eight zeros, except in version 4, where they end at the first.
    at = version === 4 ? nul + 1 : at + Math.ceil((nul + 1 - at) / 8) * 8
  }
  if (!areOffsetsTrue({ bytes, end, hashBytes }, starts, at)) return undefined
  const shared = readShared({ bytes, end, hashBytes }, at)
  return shared === undefined ? undefined : { shared }
}

/** An index, and where the hash of all of it begins. */
interface WholeIndex {
  readonly bytes: Buffer
  readonly end: number
  readonly hashBytes: number
}

/** What an extension begins with. */
const EXTENSION_BYTES = 8
const OFFSET_BYTES = 4

/**
 * Whether the tables by which git reads an index in several threads say where entries and extensions begin: it goes by
 * them, and would find others elsewhere.
 */
function areOffsetsTrue({ bytes, end, hashBytes }: WholeIndex, starts: Uint32Array, from: number): boolean {
  const last = end - EXTENSION_BYTES - OFFSET_BYTES - hashBytes
  if (last >= from && bytes.toString('latin1', last, last + 4) === 'EOIE')
    if (bytes.readUInt32BE(last + EXTENSION_BYTES) !== from) return false
  for (let at = from; at + EXTENSION_BYTES <= end; at += EXTENSION_BYTES + bytes.readUInt32BE(at + 4)) {
    if (bytes.toString('latin1', at, at + 4) !== 'IEOT') continue
    const tableEnd = at + EXTENSION_BYTES + bytes.readUInt32BE(at + 4)
    if (tableEnd > end) return false
    let entry = 0
    for (let row = at + EXTENSION_BYTES + OFFSET_BYTES; row + 8 <= tableEnd; row += 8) {
      if (bytes.readUInt32BE(row) !== (starts[entry] ?? from)) return false
      entry += bytes.readUInt32BE(row + 4)
    }
    if (entry !== starts.length) return false
  }
  return true
}

/** The name of the shared index, from the extensions; null if there is none, undefined if they cannot be parsed. */
function readShared({ bytes, end, hashBytes }: WholeIndex, from: number): string | null | undefined {
  let shared: string | null = null
  let at = from
  while (at < end) {
    if (at + 8 > end) return undefined
    const size = bytes.readUInt32BE(at + 4)
    if (at + 8 + size > end) return undefined
    if (bytes.toString('latin1', at, at + 4) === 'link' && size >= hashBytes)
      shared = bytes.toString('hex', at + 8, at + 8 + hashBytes)
    at += 8 + size
  }
  if (at !== end) return undefined
  return shared !== null && /^0+$/.test(shared) ? null : shared
}

/** Reads git's variable-length offset: seven bits per byte, plus one for each byte that follows. */
function readOffset(
  bytes: Buffer,
  from: number,
  end: number,
): { readonly value: number; readonly next: number } | null {
  let at = from
  let byte = bytes[at++] ?? 0
  let value = byte & 0x7f
  while ((byte & 0x80) !== 0) {
    if (at >= end || value > 0xffff) return null
    byte = bytes[at++] ?? 0
    value = ((value + 1) << 7) | (byte & 0x7f)
  }
  return { value, next: at }
}
