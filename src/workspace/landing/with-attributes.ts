import type { Attributes } from '../../host/fs/pax.ts'
import { ToolFailure } from '../../core/error.ts'
import { modeWithoutList } from '../../host/root/access-list.ts'
import { digest } from '../../host/system/hash.ts'
import type { FileStat, Root } from '../../host/root/root.ts'
import { statOrNull } from '../../host/root/stat-plain.ts'
import type { Digest, FileChange, FileState } from '../../journal/entries/entry.ts'
import { formatAttributes, parseAttributes } from './attribute-cache.ts'
import type { AttributeCache, AttributesFound } from './attribute-cache.ts'
import { isOnlyOpened } from './contents/held.ts'
import { mergeAccess } from './merge-attributes.ts'
import { placeOf } from './place-of.ts'

/** What keeping modes and attributes takes. */
export interface KeepOptions {
  readonly rootOf: (path: string) => Root
  readonly cache: AttributeCache
  /** What the journal holds. */
  readonly contentOf: (digest: Digest) => Uint8Array | null
}

/** Changes, and the payloads of the attributes they name. */
export interface ChangesWithAttributes {
  readonly changes: readonly FileChange[]
  readonly payloads: ReadonlyMap<Digest, Uint8Array>
}

/**
 * Gives files and folders the modes, owners and attributes that they have now, but for what the calls themselves changed about
 * these. Both sides of a change name them: taking it back keeps them as well, and what goes comes back with those that it
 * had. Yields after each file.
 */
export function* withAttributes(
  reverted: readonly FileChange[],
  { rootOf, cache, contentOf }: KeepOptions,
): Generator<null, ChangesWithAttributes> {
  const changes = yield* withModes(reverted, rootOf, cache)
  const { digests, payloads, unread } = yield* readWhatIsThere(changes.filter(isMadeAnew), rootOf, cache)
  const merged = new Map<Digest, Uint8Array>()
  const attributed = changes.map((reversed): FileChange => {
    const change = withOwner(reversed, rootOf(reversed.root))
    const { before, after } = change
    if (before === null || !isMadeAnew(change) || unread.has(reversed)) return change
    const now = digests.get(placeOf(rootOf(change.root).path, change.path))
    const is = withDigest(before, now)
    if (after === null) return { ...change, before: is }
    // It is moved away with its own attributes, and those it had before are not on record.
    if (before.held !== undefined)
      return before.attributes === after.attributes ? { ...change, after: withDigest(after, now) } : change
    if (before.attributes === after.attributes)
      return { ...change, before: is, after: withDigest(after, now) }
    const sides = [now, before.attributes, after.attributes].map((named) =>
      attributesBy(named, (one) => payloads.get(one) ?? contentOf(one)),
    )
    const payload = keepOthers(sides, [before.mode, after.mode])
    // What the journal no longer holds cannot be told from what somebody did since.
    if (payload === 'unknown') return { ...change, before: is }
    const named = payload === null ? undefined : digest(payload)
    if (payload !== null && named !== undefined) merged.set(named, payload)
    return { ...change, before: is, after: withDigest(after, named) }
  })
  return { changes: attributed, payloads: new Map([...payloads, ...merged]) }
}

interface AttributesRead extends AttributesFound {
  /** What goes, and cannot be looked at because a folder is closed to its owner. */
  readonly unread: ReadonlySet<FileChange>
}

function* readWhatIsThere(
  made: readonly FileChange[],
  rootOf: KeepOptions['rootOf'],
  cache: AttributeCache,
): Generator<null, AttributesRead> {
  const unread = new Set<FileChange>()
  const reading = (some: readonly FileChange[]): Generator<null, AttributesFound> =>
    cache.reading(some.map(({ root, path }) => ({ root: rootOf(root), path })))
  try {
    return { ...(yield* reading(made)), unread }
  } catch (thrown) {
    if (!(thrown instanceof ToolFailure)) throw thrown
  }
  const found = [yield* reading(made.filter(({ after }) => after !== null))]
  for (const change of made.filter(({ after }) => after === null))
    try {
      found.push(yield* reading([change]))
    } catch (thrown) {
      if (!(thrown instanceof ToolFailure)) throw thrown
      unread.add(change)
    }
  return {
    digests: new Map(found.flatMap(({ digests }) => [...digests])),
    payloads: new Map(found.flatMap(({ payloads }) => [...payloads])),
    unread,
  }
}

/** The owner and group that somebody gave a file since are kept on both sides, unless the change is about these. */
function withOwner(change: FileChange, root: Root): FileChange {
  const { path, before, after } = change
  if (before === null || before.held !== undefined || !isMadeAnew(change)) return change
  if (after !== null && (after.uid !== before.uid || after.gid !== before.gid)) return change
  const stat = statOrNull(root, path)
  if (stat === null || !isOfKind(stat, before)) return change
  const owner = { uid: stat.uid, gid: stat.gid }
  return { ...change, before: { ...before, ...owner }, after: after && { ...after, ...owner } }
}

function isOfKind({ kind }: FileStat, state: FileState): boolean {
  return (kind === 'dir' ? 'folder' : kind) === (state.kind ?? 'file')
}

function withDigest({ attributes: _old, ...state }: FileState, attributes: Digest | undefined): FileState {
  return attributes === undefined ? state : { ...state, attributes }
}

const NO_ATTRIBUTES: Attributes = new Map()

function attributesBy(
  named: Digest | undefined,
  contentOf: (digest: Digest) => Uint8Array | null,
): Attributes | null {
  if (named === undefined) return NO_ATTRIBUTES
  const payload = contentOf(named)
  return payload === null ? null : parseAttributes(payload)
}

/** The attributes that a file has now, but for those that a change is about: these become what they are after it. */
function keepOthers(
  [now, before, after]: readonly (Attributes | null)[],
  [is, wanted]: readonly [number, number],
): Uint8Array | null | 'unknown' {
  if (!now || !before || !after) return 'unknown'
  const sides = [
    { mode: is, attributes: before },
    { mode: wanted, attributes: after },
  ] as const
  const merged = mergeAccess(...sides, { mode: is, attributes: now })
  // Changed since this was planned.
  return formatAttributes(merged.ok ? merged.attributes : now)
}

/** What somebody did to the modes of files since is kept, also for bringing back one that goes. */
function* withModes(
  reverted: readonly FileChange[],
  rootOf: (path: string) => Root,
  cache: AttributeCache,
): Generator<null, readonly FileChange[]> {
  const modes: (number | null)[] = []
  for (const change of reverted) {
    modes.push(newModeOf(change, rootOf(change.root)))
    yield null
  }
  // A file that has attributes of its own gets no rights that an access list limited.
  const moved = reverted.filter((change, at) => modes[at] !== null && hasOwnAttributes(change))
  const files = moved.map(({ root, path }) => ({ root: rootOf(root), path }))
  const { digests, payloads } = yield* cache.reading(files)
  return reverted.map((change, at): FileChange => {
    const { root, path, before, after } = change
    const mode = modes[at] ?? null
    if (mode === null || before === null) return change
    const is = { ...before, mode }
    if (after === null) return { ...change, before: is }
    const named = !hasOwnAttributes(change) ? undefined : digests.get(placeOf(rootOf(root).path, path))
    const payload = named === undefined ? undefined : payloads.get(named)
    const kept = payload === undefined ? mode : modeWithoutList(mode, parseAttributes(payload))
    return { ...change, before: is, after: { ...after, mode: kept } }
  })
}

/**
 * The mode that somebody gave a file since, or a folder that goes; null if it has the one that the change names, or is about
 * its mode.
 */
function newModeOf({ path, before, after }: FileChange, root: Root): number | null {
  if (before === null || before.kind === 'link') return null
  if (after?.kind !== undefined && !isOnlyOpened({ before, after })) return null
  const stat = after === null || after.mode === before.mode ? statOrNull(root, path) : null
  if (stat === null || !isOfKind(stat, before)) return null
  return stat.mode === before.mode ? null : stat.mode
}

/** Whether a file gets other attributes than those at its place now: it is moved there, or in the place of what is moved away. */
function hasOwnAttributes({ before, after }: FileChange): boolean {
  if (after === null) return false
  return after.held !== undefined || (before?.held !== undefined && before.attributes !== after.attributes)
}

/** Whether something is written from the journal, or goes and comes back from there; what is moved keeps its own attributes. */
function isMadeAnew({ before, after }: FileChange): boolean {
  if (before === null || before.kind === 'link') return false
  if (after === null) return before.held === undefined
  return before.kind === undefined && after.kind === undefined && after.held === undefined
}
