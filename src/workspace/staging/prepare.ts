import { failure } from '../../core/error.ts'
import { digest } from '../../host/system/hash.ts'
import { freeBytes } from '../../host/system/resources.ts'
import { folderOf } from '../../host/root/rel-path.ts'
import type { Root } from '../../host/root/root.ts'
import type { Digest, FileChange, FileState, SeenFile } from '../../journal/entries/entry.ts'
import type { LedgerRow } from '../../journal/log.ts'
import type { AttributeCache } from '../landing/attribute-cache.ts'
import { nearestFolder } from '../landing/checks/obstacles.ts'
import { placeOf } from '../landing/place-of.ts'
import type { Located } from '../sandbox/sandbox.ts'
import { folderAround, newAccess, ownerInPlace } from './new-access.ts'
import { prepareFolders } from './prepare-folders.ts'
import { noteLost, withoutSpecialRights } from './special-rights.ts'
import type { StagedFile, StagedFolder } from './staged-file.ts'

/** Everything the commit needs: the changes, the contents they name, and the new ledger entries. */
export interface Prepared {
  readonly changes: readonly FileChange[]
  readonly payloads: ReadonlyMap<Digest, Uint8Array>
  readonly seen: readonly SeenFile[]
  readonly notes: readonly string[]
}

/** Disk space that is left free. */
const SPARE_BYTES = 256 * 1024

/** What preparing needs. */
export interface PrepareOptions {
  readonly ledger: (path: string) => LedgerRow | null
  readonly attributeCache: AttributeCache
  readonly now: number
  /** How many bytes earlier calls will need, which are committed together with this one. */
  readonly earlierBytes: number
}

/** Prepares staged files for the commit. Foreseeable failures happen here, while nothing has changed yet. */
export function prepare(
  staged: readonly StagedFile[],
  stagedFolders: readonly StagedFolder[],
  { ledger, attributeCache, now, earlierBytes }: PrepareOptions,
): Prepared {
  // First, because what cannot be replaced often cannot be read either, and this says why.
  // A folder that cannot be removed is left where it is, so nothing later would say so.
  for (const [root, above] of foldersOf([...staged, ...stagedFolders]))
    for (const folder of above) requireWritable(root, folder)
  requireReplaceable([
    ...staged.filter(({ base }) => base !== null).map(({ at }) => at),
    ...stagedFolders.filter(({ likeAt }) => likeAt === null).map(({ at }) => at),
  ])
  const attributes = attributeCache.read([
    ...staged.flatMap(attributeSources),
    ...stagedFolders.map(({ at, likeAt }) => ({ root: (likeAt ?? at).root, path: (likeAt ?? at).rel })),
  ])
  const payloads = new Map<Digest, Uint8Array>(attributes.payloads)
  const attributesOf = (at: Located | null): Pick<FileState, 'attributes'> => {
    const found = at === null ? undefined : attributes.digests.get(placeOf(at.root.path, at.rel))
    return found === undefined ? {} : { attributes: found }
  }
  const folders = prepareFolders(stagedFolders, attributesOf)
  const changes: FileChange[] = [...folders.changes]
  const seen: SeenFile[] = []
  const notes: string[] = []
  const needed = new Map<Root, number>()
  for (const file of staged) {
    const { at, base, after } = file
    if (base !== null) payloads.set(base.digest, base.bytes)
    if (base !== null && base.hardLinks > 1) {
      notes.push(
        `${at.display} had ${base.hardLinks} names; the other ${base.hardLinks === 2 ? 'one keeps' : 'ones keep'} the old content`,
      )
    }
    const before: FileState | null =
      base === null
        ? null
        : (base.left?.state ?? {
            digest: base.digest,
            mode: base.mode,
            uid: base.uid,
            gid: base.gid,
            ...attributesOf(at),
          })
    if (after === null) {
      changes.push({ root: at.root.path, path: at.rel, before, after: null, folders: [] })
      continue
    }
    const content = digest(after)
    payloads.set(content, after)
    needed.set(at.root, (needed.get(at.root) ?? 0) + after.length)
    const like = before ?? file.like
    const rights = before === null ? null : withoutSpecialRights(before, payloads)
    if (rights !== null && rights.lost !== null) notes.push(noteLost(at.display, rights.lost))
    const access =
      like === null
        ? newAccess(at, attributes, payloads)
        : {
            mode: rights?.mode ?? like.mode,
            ...(rights?.attributes ?? attributesOf(file.likeAt)),
            ...ownerInPlace(at, like),
          }
    if (before !== null && access.uid !== before.uid)
      notes.push(`${at.display} belongs to you now; only root can preserve its owner`)
    changes.push({
      root: at.root.path,
      path: at.rel,
      before,
      after: { digest: content, ...access },
      folders: base === null ? folders.missingAbove(at) : [],
    })
    const row = ledger(at.absolute)
    seen.push({ path: at.absolute, digest: content, at: now, range: rangeAfter(base, row) })
  }
  for (const [root, bytes] of needed) requireRoom(root, bytes + earlierBytes)
  return { changes, payloads, seen, notes }
}

/** No line of a file, though its content as a whole is known. */
const NO_LINES = { start_line: 1, end_line: 0 }

/** What counts as seen of a file after it was changed; null for all of it. */
function rangeAfter(base: StagedFile['base'], row: LedgerRow | null): SeenFile['range'] {
  if (base === null) return null
  // It was changed without having been read, or read before something else changed it.
  if (row === null || row.digest !== base.digest) return NO_LINES
  return row.ranges === null ? null : (row.ranges[0] ?? NO_LINES)
}

/** What has attributes that matter: files that are replaced or removed, and what a new one is like, or its folder. */
function attributeSources({ at, base, likeAt }: StagedFile) {
  if (base?.left !== undefined) return []
  if (base === null && likeAt === null) return [folderAround(at)]
  const { root, rel } = base === null ? (likeAt ?? at) : at
  return [{ root, path: rel }]
}

function requireRoom(root: Root, bytes: number): void {
  const free = freeBytes(root.path)
  if (free === null || free >= bytes + SPARE_BYTES) return
  throw failure(
    'resource_exhausted',
    `Not enough disk space below ${root.path}: ${bytes} bytes are needed and ${free} are free.`,
    { needed: bytes, free },
    ['Free some space, then try again; nothing was changed.'],
  )
}

function foldersOf(staged: readonly Pick<StagedFile, 'at'>[]): ReadonlyMap<Root, ReadonlySet<string>> {
  const folders = new Map<Root, Set<string>>()
  for (const { at } of staged) {
    const known = folders.get(at.root)
    if (known === undefined) folders.set(at.root, new Set([folderOf(at.rel)]))
    else known.add(folderOf(at.rel))
  }
  return folders
}

/** From so many names on, it is quicker to ask the system once what is mounted where. */
const MANY_NAMES = 4

/** What is replaced or removed; what the system would refuse then is refused now. */
function requireReplaceable(places: readonly Located[]): void {
  const mounted = new Map<Root, ReadonlySet<string>>()
  for (const { root, rel, display: path } of places) {
    if (places.length >= MANY_NAMES && !mounted.has(root)) mounted.set(root, root.findMounted())
    const why = root.findObstacle(rel, mounted.get(root))
    if (why === null) continue
    const message = `Cannot replace or remove ${path}: ${why}.`
    throw failure('execution_failed', message, { path, reason: 'obstacle' }, [
      'Remove the obstacle or leave this file out, then try again; nothing was changed.',
    ])
  }
}

function requireWritable(root: Root, wanted: string): void {
  const folder = nearestFolder(root, wanted)
  if (root.isWritable(folder)) return
  throw failure(
    'execution_failed',
    `Cannot write to the folder ${folder === '' ? '.' : folder}.`,
    { path: folder },
    ['Check its permissions; nothing was changed.'],
  )
}
