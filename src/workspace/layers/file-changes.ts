import { compareCodePoints } from '../../core/text/compare.ts'
import type { LayerChange } from '../../host/layer/layer-change.ts'
import { OLD, UPPER } from '../../host/layer/layer.ts'
import type { FileStat } from '../../host/root/root.ts'
import type { Digest, FileChange, FileState } from '../../journal/entries/entry.ts'
import { digestOf, heldIn } from './layer-files.ts'
import type { OpenPart } from './layer-files.ts'

/** A change with the digests of both sides. */
export interface HashedChange extends LayerChange {
  readonly part: OpenPart
  readonly beforeDigest: Digest | null
  readonly afterDigest: Digest | null
  /** The extended attributes of a folder, or of a file that a command wrote to. */
  readonly beforeAttributes?: Digest
  readonly afterAttributes?: Digest
  /** The extended attributes that are new, changed or gone, as they are shown. */
  readonly newAttributes?: readonly string[]
}

/** Hashes both sides of changes in one root. What was only moved is hashed once. */
export function* hashChanges(
  part: OpenPart,
  changes: readonly LayerChange[],
): Generator<null, readonly HashedChange[]> {
  const lowerDigests = new Map<string, Digest>()
  function* hashLower(path: string, kind: FileStat['kind']): Generator<null, Digest> {
    const found = lowerDigests.get(path) ?? (yield* digestOf(part, { layer: 'lower', path }, kind))
    lowerDigests.set(path, found)
    return found
  }
  const hashed: HashedChange[] = []
  for (const change of changes) {
    const { path, before, after } = change
    const beforeDigest = before === null ? null : yield* hashLower(path, before.kind)
    let afterDigest: Digest | null = null
    if (after?.source.layer === 'lower') afterDigest = yield* hashLower(after.source.path, after.kind)
    else if (after !== null) afterDigest = yield* digestOf(part, after.source, after.kind)
    hashed.push({ ...change, part, beforeDigest, afterDigest })
    yield null
  }
  return hashed
}

/**
 * The changes as the journal records them, in the order of their paths. What the command moved stays in the workspace
 * until it lands: the removal of its old name and the creation of the new one name the same place.
 */
export function recordChanges(hashed: readonly HashedChange[]): readonly FileChange[] {
  const ordered = hashed.toSorted(
    (one, other) =>
      compareCodePoints(one.part.lower.path, other.part.lower.path) ||
      compareCodePoints(one.path, other.path),
  )
  const oldPlaces = new Map<string, string>()
  for (const [index, { part, path, before }] of ordered.entries())
    if (before !== null) oldPlaces.set(keyOf(part, path), heldIn(part.part, OLD, `${index}`))
  return ordered.map(({ part, path, before, after, beforeDigest, afterDigest, ...folder }) => {
    const newPlace =
      after?.source.layer === 'lower'
        ? oldPlaces.get(keyOf(part, after.source.path))
        : heldIn(part.part, UPPER, path)
    return {
      root: part.lower.path,
      path,
      before:
        before === null
          ? null
          : {
              ...stateOf(before, beforeDigest, oldPlaces.get(keyOf(part, path))),
              ...attributesOf(folder.beforeAttributes),
            },
      after:
        after === null
          ? null
          : { ...stateOf(after, afterDigest, newPlace), ...attributesOf(folder.afterAttributes) },
      folders: [],
    }
  })
}

function attributesOf(attributes: Digest | undefined): Pick<FileState, 'attributes'> {
  return attributes === undefined ? {} : { attributes }
}

function keyOf({ lower }: OpenPart, path: string): string {
  return `${lower.path}\0${path}`
}

function stateOf({ kind, mode, uid, gid }: FileStat, digest: Digest | null, held?: string): FileState {
  return {
    ...(kind === 'dir' ? { kind: 'folder' } : kind === 'symlink' ? { kind: 'link' } : {}),
    digest: digest ?? '',
    mode,
    uid,
    gid,
    // A folder is made and removed; only what has content is moved.
    ...(kind === 'dir' || held === undefined ? {} : { held }),
  }
}
