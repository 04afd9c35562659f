import { closeSync, constants, fstatSync, lstatSync, openSync, readSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { PATH_MAX } from './follow/follow-named-path.ts'
import { HASH_SIZES, INDEX_HEADER_BYTES, STAT_BYTES, visitIndex } from './index-entries.ts'
import { kindOrMissing, readRegular } from '../confine/inspect-path.ts'

/** The paths at which an index names other repositories, or why it cannot be read. */
export type Gitlinks =
  | { readonly ok: true; readonly paths: readonly string[] }
  | { readonly ok: false; readonly reason: string }

const MODE_AT = 24
const GITLINK_TYPE = 0o160000
const TYPE_MASK = 0o170000
const MAX_SHARED = 1
/** The index is read whole, up to that of a million files; a larger one counts as unreadable. */
export const MAX_INDEX_BYTES = 128 * 1024 ** 2

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
  const bytes = isPlausible(indexFile) ? readRegular(indexFile, MAX_INDEX_BYTES) : null
  if (bytes === null) return { ok: false, reason: 'it cannot be read' }
  for (const hashBytes of HASH_SIZES) {
    const found = parseIndex(bytes, hashBytes)
    if (found === null) continue
    if (isTooMuch(found.paths)) return { ok: false, reason: TOO_MANY_LINKS }
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
    const head = Buffer.alloc(INDEX_HEADER_BYTES)
    if (!found.isFile() || readSync(fd, head) < INDEX_HEADER_BYTES) return false
    return head.toString('latin1', 0, 4) === 'DIRC' && head.readUInt32BE(8) <= found.size / STAT_BYTES
  } catch {
    return false
  } finally {
    if (fd !== null) closeSync(fd)
  }
}

/** More than any project has. For each, every folder on the way is looked at, and for every edit. */
const MOST_PARTS = 40_000
const PART_BYTES = 200
export const TOO_MANY_LINKS = 'it names more repositories than can be looked at'

function isTooMuch(paths: readonly string[]): boolean {
  const bytes = paths.reduce((sum, path) => sum + path.split('/').length * (path.length + PART_BYTES), 0)
  return bytes > MOST_PARTS * PART_BYTES
}

interface ParsedIndex {
  readonly paths: readonly string[]
  /** The name of the shared index that holds the other entries of a split index. */
  readonly shared: string | null
}

function parseIndex(bytes: Buffer, hashBytes: number): ParsedIndex | null {
  const paths: string[] = []
  const end = visitIndex(bytes, hashBytes, ({ at, name, nameBytes }) => {
    const isLink = (bytes.readUInt32BE(at + MODE_AT) & TYPE_MASK) === GITLINK_TYPE
    if (isLink && nameBytes <= PATH_MAX) paths.push(name().toString('utf8'))
  })
  return end === undefined ? null : { paths, shared: end.shared }
}
