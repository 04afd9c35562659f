/** The header of an index: what it is, its version, and how many entries follow. */
export const INDEX_HEADER_BYTES = 12
/** Ten four-byte fields precede the object's name in an entry. */
export const STAT_BYTES = 40
/** The sizes of an object's name in the two repository formats. */
export const HASH_SIZES = [20, 32] as const
const EXTENDED = 0x4000
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
  for (let entry = 0; entry < count; entry++) {
    const flagsAt = at + STAT_BYTES + hashBytes
    if (flagsAt + 2 > end) return undefined
    const isExtended = (bytes.readUInt16BE(flagsAt) & EXTENDED) !== 0
    if (isExtended && version === 2) return undefined
    let nameAt = flagsAt + (isExtended ? 4 : 2)
    if (version === 4) {
      const strip = readOffset(bytes, nameAt, end)
      if (strip === null || strip.value > lastBytes) return undefined
      nameAt = strip.next
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
    visit({ at, flagsAt, nameBytes: whole.length, name: () => Buffer.from(whole) })
    // Entries are padded with one to eight zeros, except in version 4, where they end at the first.
    at = version === 4 ? nul + 1 : at + Math.ceil((nul + 1 - at) / 8) * 8
  }
  const shared = readShared({ bytes, end, hashBytes }, at)
  return shared === undefined ? undefined : { shared }
}

/** The name of the shared index, from the extensions; null if there is none, undefined if they cannot be parsed. */
function readShared(
  { bytes, end, hashBytes }: { readonly bytes: Buffer; readonly end: number; readonly hashBytes: number },
  from: number,
): string | null | undefined {
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
