import { closeSync, constants, fstatSync, lstatSync, openSync, readSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { kindOrMissing, readRegular } from './inspect-path.ts'

/** The paths at which an index names other repositories, or why it cannot be read. */
export type Gitlinks =
  | { readonly ok: true; readonly paths: readonly string[] }
  | { readonly ok: false; readonly reason: string }

const HEADER_BYTES = 12
/** Ten four-byte fields precede the object's name. */
const STAT_BYTES = 40
const MODE_AT = 24
const GITLINK_TYPE = 0o160000
const TYPE_MASK = 0o170000
const EXTENDED = 0x4000
/** The sizes of an object's name in the two repository formats. */
const HASH_SIZES = [20, 32] as const
const MAX_SHARED = 1
/** The index is read whole, up to that of a million files; a larger one counts as unreadable. */
const MAX_BYTES = 128 * 1024 ** 2

/** Reads which paths of an index are repositories themselves; a missing index names none. */
export function readGitlinks(indexFile: string): Gitlinks {
  const version = versionOf(indexFile)
  const cached = cache.get(indexFile)
  if (version !== null && cached?.version === version) return cached.links
  const links = readIndex(indexFile, MAX_SHARED)
  if (cache.size >= MAX_CACHED) cache.clear()
  // Not cached if it changed while it was read.
  if (version !== null && version === versionOf(indexFile)) cache.set(indexFile, { version, links })
  return links
}

/** More than the repositories that a workspace may have. */
const MAX_CACHED = 300
const cache = new Map<string, { readonly version: string; readonly links: Gitlinks }>()

/** Differs after every change to a file: its change time cannot be set back. */
function versionOf(file: string): string | null {
  try {
    const found = lstatSync(file, { bigint: true, throwIfNoEntry: false })
    return found?.isFile() === true ? `${found.ino} ${found.size} ${found.ctimeNs} ${found.mtimeNs}` : null
  } catch {
    // Something else is in the place of its folder.
    return null
  }
}

function readIndex(indexFile: string, sharedLeft: number): Gitlinks {
  if (kindOrMissing(indexFile) === 'missing') return { ok: true, paths: [] }
  const bytes = isPlausible(indexFile) ? readRegular(indexFile, MAX_BYTES) : null
  if (bytes === null) return { ok: false, reason: 'it cannot be read' }
  for (const hashBytes of HASH_SIZES) {
    const found = parseIndex(bytes, hashBytes)
    if (found === null) continue
    if (found.shared === null) return { ok: true, paths: found.paths }
    if (sharedLeft === 0) return { ok: false, reason: 'it is split more than once' }
    const rest = readIndex(join(dirname(indexFile), `sharedindex.${found.shared}`), sharedLeft - 1)
    return rest.ok ? { ok: true, paths: [...found.paths, ...rest.paths] } : rest
  }
  return { ok: false, reason: 'its format is not supported' }
}

/** Whether the first bytes can be those of an index of this size, so that nothing large is read in vain. */
function isPlausible(indexFile: string): boolean {
  let fd: number | null = null
  try {
    fd = openSync(indexFile, constants.O_RDONLY | constants.O_NONBLOCK)
    const found = fstatSync(fd)
    const head = Buffer.alloc(HEADER_BYTES)
    if (!found.isFile() || readSync(fd, head) < HEADER_BYTES) return false
    return head.toString('latin1', 0, 4) === 'DIRC' && head.readUInt32BE(8) <= found.size / STAT_BYTES
  } catch {
    return false
  } finally {
    if (fd !== null) closeSync(fd)
  }
}

interface ParsedIndex {
  readonly paths: readonly string[]
  /** The name of the shared index that holds the other entries of a split index. */
  readonly shared: string | null
}

function parseIndex(bytes: Buffer, hashBytes: number): ParsedIndex | null {
  if (bytes.length < HEADER_BYTES + hashBytes || bytes.toString('latin1', 0, 4) !== 'DIRC') return null
  const version = bytes.readUInt32BE(4)
  if (version < 2 || version > 4) return null
  const count = bytes.readUInt32BE(8)
  const end = bytes.length - hashBytes
  const paths: string[] = []
  let at = HEADER_BYTES
  let name = Buffer.alloc(0)
  for (let entry = 0; entry < count; entry++) {
    const flagsAt = at + STAT_BYTES + hashBytes
    if (flagsAt + 2 > end) return null
    const isExtended = (bytes.readUInt16BE(flagsAt) & EXTENDED) !== 0
    if (isExtended && version === 2) return null
    let nameAt = flagsAt + (isExtended ? 4 : 2)
    let prefixBytes = 0
    if (version === 4) {
      const strip = readOffset(bytes, nameAt, end)
      if (strip === null || strip.value > name.length) return null
      nameAt = strip.next
      prefixBytes = name.length - strip.value
    }
    const nul = bytes.indexOf(0, nameAt)
    if (nul === -1 || nul >= end) return null
    const isLink = (bytes.readUInt32BE(at + MODE_AT) & TYPE_MASK) === GITLINK_TYPE
    if (version === 4 || isLink)
      name = Buffer.concat([name.subarray(0, prefixBytes), bytes.subarray(nameAt, nul)])
    if (isLink) paths.push(name.toString('utf8'))
    // Entries are padded with one to eight zeros, except in version 4, where they end at the first.
    at = version === 4 ? nul + 1 : at + Math.ceil((nul + 1 - at) / 8) * 8
  }
  const shared = readShared({ bytes, end, hashBytes }, at)
  return shared === undefined ? null : { paths, shared }
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
