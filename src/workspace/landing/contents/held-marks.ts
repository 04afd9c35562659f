import { ToolFailure } from '../../../core/error.ts'
import { areAttributesRead } from '../../../host/fs/attributes.ts'
import { isForbidden } from '../../../host/root/io-failure.ts'
import { reachOwn } from '../../../host/root/open-own.ts'
import type { Digest, FileChange } from '../../../journal/entries/entry.ts'
import type { AttributeCache } from '../attribute-cache.ts'
import type { HeldFiles, HeldSpot } from './held.ts'
import { findSpots } from './held.ts'
import { placeOf } from '../place-of.ts'

/**
 * What is noted of held files besides content and mode, by the place where each is to land; those without extended
 * attributes are left out.
 */
export type HeldMarks = Readonly<Record<string, string>>

/** What reads extended attributes. */
export type MarkReader = Pick<AttributeCache, 'read' | 'reading'>

/**
 * Notes the extended attributes and access lists of held files: they land with the files, so an answer is about them too.
 * Where they cannot be read, the time of the last change stands for them. What is at the places of `bare` was seen to have
 * none. Yields after each file.
 */
export function* markHeld(
  changes: readonly FileChange[],
  { held, bare, cache }: MarkOptions,
): Generator<null, HeldMarks> {
  return yield* markSpots(yield* findSpots(changes, held, bare), cache)
}

/** What noting marks needs. */
interface MarkOptions {
  readonly held: Pick<HeldFiles, 'find'>
  readonly bare: ReadonlySet<string> | undefined
  readonly cache: MarkReader
}

/** The same for contents that were found just now. */
export function* markSpots(
  spots: ReadonlyMap<FileChange, HeldSpot | null>,
  cache: MarkReader,
): Generator<null, HeldMarks> {
  const files: { readonly place: string; readonly spot: HeldSpot }[] = []
  for (const [{ root, path }, spot] of spots)
    if (spot?.stat.kind === 'file') files.push({ place: placeOf(root, path), spot })
  const readable = files.filter(({ spot }) => isReadable(spot))
  const digests = yield* readDigests(
    readable.map(({ spot }) => spot),
    cache,
  )
  const marks = files.flatMap(({ place, spot }): readonly (readonly [string, string])[] => {
    if (!isReadable(spot)) return [[place, `changed ${spot.stat.changedMs}`]]
    const attributes = digests.get(placeOf(spot.root.path, spot.rel))
    return attributes === undefined ? [] : [[place, attributes]]
  })
  return Object.fromEntries(marks)
}

/** Folders that are closed to their owner are opened for the look, a file at a time; few landings have any. */
function* readDigests(
  spots: readonly HeldSpot[],
  cache: MarkReader,
): Generator<null, ReadonlyMap<string, Digest>> {
  try {
    return (yield* cache.reading(spots.map(({ root, rel, stat }) => ({ root, path: rel, stat })))).digests
  } catch (thrown) {
    if (!(thrown instanceof ToolFailure && isForbidden(thrown))) throw thrown
  }
  const digests = new Map<string, Digest>()
  for (const spot of spots) {
    yield null
    const found = reachOwn(spot, () => cache.read([{ root: spot.root, path: spot.rel }]))
    for (const [place, digest] of found.digests) digests.set(place, digest)
  }
  return digests
}

function isReadable({ rel, stat }: HeldSpot): boolean {
  return rel.isWellFormed() && areAttributesRead(stat.size)
}

/** The first of these changes whose held file has other marks than were noted; null if all are as they were. */
export function findOtherMark(
  changes: readonly FileChange[],
  noted: HeldMarks,
  now: HeldMarks,
): FileChange | null {
  const markIn = (marks: HeldMarks, { root, path }: FileChange): string | undefined => {
    const place = placeOf(root, path)
    return Object.hasOwn(marks, place) ? marks[place] : undefined
  }
  return changes.find((change) => markIn(noted, change) !== markIn(now, change)) ?? null
}
