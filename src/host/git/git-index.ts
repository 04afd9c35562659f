import { closeSync, constants, fstatSync, lstatSync, openSync, readSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { PATH_MAX } from '../way/follow-way.ts'
import { HASH_SIZES, INDEX_HEADER_BYTES, STAT_BYTES, visitIndex } from './index-entries.ts'
import { kindOrMissing, readRegular, sizeOrZero } from '../confine/inspect-path.ts'
import { exactName } from '../root/exact-name.ts'

/** A folder of a sparse index: what is in it, other repositories too, is in a tree of git's. */
export interface SparseFolder {
  readonly path: string
  readonly tree: string
}

/** The exact paths at which an index names other repositories, or why it cannot be read. */
export type Gitlinks =
  | { readonly ok: true; readonly paths: readonly string[]; readonly folders: readonly SparseFolder[] }
  | { readonly ok: false; readonly reason: string }

const MODE_AT = 24
const GITLINK_TYPE = 0o160000
const FOLDER_TYPE = 0o040000
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

/** The same without what may be one: a link that takes the place of an entry of a shared index has no name of its own. */
export function readSureGitlinks(indexFile: string): Gitlinks {
  return readIndex(indexFile, MAX_SHARED, 'never')
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

function readIndex(indexFile: string, sharedLeft: number, isAnyMeant: boolean | 'never' = false): Gitlinks {
  if (kindOrMissing(indexFile) === 'missing') return { ok: true, paths: [], folders: [] }
  if (sizeOrZero(indexFile) > MAX_INDEX_BYTES)
    return { ok: false, reason: `it has more than ${MAX_INDEX_BYTES} bytes` }
  const bytes = isPlausible(indexFile) ? readRegular(indexFile, MAX_INDEX_BYTES) : null
  if (bytes === null) return { ok: false, reason: 'it cannot be read' }
  const parsed = HASH_SIZES.flatMap((hashBytes) => parseIndex(bytes, hashBytes, isAnyMeant === true) ?? [])
  const [found] = parsed
  // If it can be read in two ways, the repository decides how git does.
  if (found === undefined || parsed.length > 1) return { ok: false, reason: 'its format is not supported' }
  const { paths, folders, shared, hasNameless } = found
  if (isTooMuch([...paths, ...folders.map(({ path }) => path)])) return { ok: false, reason: TOO_MANY_LINKS }
  if (shared === null) return { ok: true, paths, folders }
  if (sharedLeft === 0) return { ok: false, reason: 'it is split more than once' }
  const rest = readIndex(
    join(dirname(indexFile), `sharedindex.${shared}`),
    sharedLeft - 1,
    isAnyMeant === 'never' ? isAnyMeant : hasNameless,
  )
  return rest.ok
    ? { ok: true, paths: [...paths, ...rest.paths], folders: [...folders, ...rest.folders] }
    : rest
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
const TOO_MANY_LINKS = 'it names more repositories than can be looked at'

function isTooMuch(paths: readonly string[]): boolean {
  const bytes = paths.reduce((sum, path) => sum + path.split('/').length * (path.length + PART_BYTES), 0)
  return bytes > MOST_PARTS * PART_BYTES
}

interface ParsedIndex {
  readonly paths: readonly string[]
  readonly folders: readonly SparseFolder[]
  /** The name of the shared index that holds the other entries of a split index. */
  readonly shared: string | null
  /** Whether a link takes the place, and the name, of some entry of the shared index. */
  readonly hasNameless: boolean
}

function parseIndex(bytes: Buffer, hashBytes: number, isAnyMeant: boolean): ParsedIndex | null {
  const paths: string[] = []
  const folders: SparseFolder[] = []
  let hasNameless = false
  const end = visitIndex(bytes, hashBytes, ({ at, name, nameBytes }) => {
    const type = bytes.readUInt32BE(at + MODE_AT) & TYPE_MASK
    const isMeant = isAnyMeant || type === GITLINK_TYPE || type === FOLDER_TYPE
    if (!isMeant || nameBytes > PATH_MAX) return
    if (nameBytes === 0) {
      hasNameless = true
      return
    }
    const path = exactName(name().toString('latin1'))
    const tree = bytes.toString('hex', at + STAT_BYTES, at + STAT_BYTES + hashBytes)
    if (type === FOLDER_TYPE) folders.push({ path, tree })
    else paths.push(path)
  })
  return end === undefined ? null : { paths, folders, shared: end.shared, hasNameless }
}
