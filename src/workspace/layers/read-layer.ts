import { failure } from '../../core/error.ts'
import { UPPER } from '../../host/layer/layer.ts'
import type { Layer, LayerPart } from '../../core/layer.ts'
import { readChangeSet } from '../../host/layer/change-set.ts'
import type { LayerChange } from '../../host/layer/layer-change.ts'
import type { ChangeSet } from '../../host/layer/change-set.ts'
import { holesOf, readRecord } from '../../host/layer/copy/copy-record.ts'
import { readHidden } from '../../host/layer/enter/hidden-names.ts'
import { firstNamesOf } from '../../host/layer/enter/first-names.ts'
import { firstPlacesOf } from '../../host/git/first-places.ts'
import { findHoles } from '../../host/layer/enter/holes.ts'
import { startBySetClock } from '../../host/layer/enter/layer-clock.ts'
import { OpenedNames } from '../../host/layer/opened-folders.ts'
import { removeTree } from '../../host/layer/remove-tree.ts'
import { openRoot } from '../../host/root/open-root.ts'
import { readableName } from '../../host/root/exact-name.ts'
import { absoluteOf, relativeTo } from '../../host/root/rel-path.ts'
import { findAttributedFiles, findFileAttributes, isBare, withFileAttributes } from './new-attributes.ts'
import { runWithPauses } from '../../host/system/steps.ts'
import type { Digest } from '../../journal/entries/entry.ts'
import { findMarked, makeCopies } from './clean-layer.ts'
import { hashChanges, recordChanges } from './file-changes.ts'
import type { HashedChange } from './file-changes.ts'
import { findExchanged } from './judge/exchanged-folders.ts'
import { withFolderAttributes } from './folder-attributes.ts'
import { foldsCase, refuseClashes } from './judge/case-clash.ts'
import { refuseIndexedRepositories } from './judge/git-index-judge.ts'
import { judgeChanges } from './judge/judge-changes.ts'
import type { Judged } from './judge/judge-changes.ts'
import type { LayerReadDeps } from './layer-deps.ts'
import { diffLayer } from './layer-diff.ts'
import { identifyFolders } from '../landing/folder-identities.ts'
import { placeOf } from '../landing/place-of.ts'
import type { KnownFolder } from '../landing/folder-identities.ts'
import { numberHunks } from '../staging/layer-hunks.ts'
import type { OpenPart, Pause } from './layer-files.ts'
import { createLayerPause } from './layer-pause.ts'
import type { LayerRead, LeftOut } from './layer-read.ts'
import { refuseLost } from './judge/lost-files.ts'
import { collectNotes } from './layer-notes.ts'
import { findMoved } from './moved-files.ts'
import { showChanges, stageContents } from './shown-changes.ts'
import { requireWithinLimits } from './judge/size-limits.ts'
import { dropSpecialBits, findShutFolders, planCopies } from './landing-files.ts'
import { findStoredByGit } from './stored-by-git.ts'

/** One root of a layer with what becomes of its changes. */
interface JudgedPart extends OpenPart {
  /** What somebody else removed or changed while the command changed it, and what is in a folder that was not there first. */
  readonly stale: readonly string[]
  readonly judged: Judged
  readonly folders: readonly KnownFolder[]
  readonly mayBeMarked: ChangeSet['mayBeMarked']
  readonly attributesOf: ChangeSet['attributesOf']
  readonly displayOf: (path: string) => string
}

/**
 * Reads what the commands of a call left on their layer, and judges it; throws if nothing of it may land. Afterwards the
 * upper folders hold what may land, as it is to land.
 */
export async function readLayer(layer: Layer, deps: LayerReadDeps): Promise<LayerRead> {
  const pause = createLayerPause(deps.signal)
  const opened: OpenPart[] = []
  try {
    const { digests, attributeCache } = deps
    for (const part of layer.parts) opened.push({ ...openPart(part), digests, attributeCache })
    const parts: JudgedPart[] = []
    for (const part of opened) parts.push(await judgePart(part, layer, deps, pause))
    requireWithinLimits(parts.flatMap(sizedFiles), deps.settings)
    const hashed: HashedChange[] = []
    const shut: HashedChange[] = []
    const notes: string[] = []
    const attributes = new Map<Digest, Uint8Array>()
    const bare = new Set<string>()
    for (const part of parts) {
      const prepared = await preparePart(part, deps, pause)
      hashed.push(...prepared.changes)
      shut.push(...findShutFolders(part, prepared.changes))
      notes.push(...prepared.notes)
      for (const [digest, payload] of prepared.attributes) attributes.set(digest, payload)
      for (const place of prepared.bare) bare.add(place)
    }
    for (const { judged, upper } of parts)
      for (const path of judged.pruned) await runWithPauses(removeTree(upper, path), pause)
    const read = await describe(parts, { hashed, shut }, notes, deps, pause)
    return { ...read, attributes, bare }
  } finally {
    for (const part of opened) closePart(part)
  }
}

function openPart(part: LayerPart): OpenPart {
  const lower = openRoot(part.root)
  const place = openRoot(part.folder)
  const upper = openRoot(absoluteOf(part.folder, UPPER))
  // What is read is also changed and removed, so it must be what commands wrote.
  if (upper.path !== absoluteOf(place.path, UPPER))
    throw failure('execution_failed', 'The layer of the command was exchanged for something else.')
  return { part, lower, upper, place, opened: new OpenedNames(upper) }
}

function closePart({ lower, upper, place, opened }: OpenPart): void {
  try {
    opened.restore()
  } finally {
    for (const root of [lower, upper, place]) root.close()
  }
}

async function judgePart(
  part: OpenPart,
  layer: Layer,
  deps: LayerReadDeps,
  pause: Pause,
): Promise<JudgedPart> {
  const { lower, upper, opened } = part
  const copied = layer.rung === 'copy' ? readRecord(part.part.folder) : null
  const alsoChanged: string[] = []
  const first = firstNamesOf(layer, part.part.root)
  const onStale = (path: string): void => void alsoChanged.push(path)
  const found = await readChangeSet({ lower, upper, copied, opened, pause, first, onStale })
  const changes: LayerChange[] = []
  for (const change of found.changes) {
    const waiting = pause()
    if (waiting !== undefined) await waiting
    if (change !== null) changes.push(change)
  }
  const base = deps.sandbox.roots[0].path
  const displayOf = (path: string): string => {
    if (lower.path === base) return readableName(path)
    const absolute = absoluteOf(lower.path, path)
    return readableName(relativeTo(base, absolute) ?? absolute)
  }
  const holesNow = findHoles(lower.path, deps.passthrough ?? [])
  const copiedHoles = copied === null ? [] : holesOf(part.part.folder)
  const holes = new Map([
    ...copiedHoles.map(({ path, isWritable }) => [path, isWritable] as const),
    ...holesNow,
  ])
  const hidden = readHidden(part.part.folder)
  const firstPlaces = firstPlacesOf(layer)
  const judged = judgeChanges(
    { lower, changes, isCopy: copied !== null, holes, hidden, firstPlaces, displayOf },
    deps,
  )
  refuseIndexedRepositories(part, judged.landing, displayOf)
  if ((deps.foldsCase ?? foldsCase)(lower)) refuseClashes(lower, judged.landing, displayOf)
  // Before they are compared with the first ones: what is exchanged later differs from these.
  const folders = identifyFolders(
    lower,
    judged.landing.map(({ path, before }) => ({ path, wasFolder: before?.kind === 'dir' })),
  )
  const exchanged = first === null ? [] : findExchanged(lower, judged.landing, first)
  const startMs = startBySetClock(layer)
  const changedSince = startMs === layer.startedMs ? [] : findChangedSince(judged.landing, startMs)
  const stale = [...alsoChanged, ...exchanged, ...changedSince]
  const { mayBeMarked, attributesOf } = found
  return { ...part, judged, folders, displayOf, stale, mayBeMarked, attributesOf }
}

/** What may have been changed while a command ran, if the clock was set back meanwhile. */
function findChangedSince(changes: readonly LayerChange[], startMs: number): readonly string[] {
  const isLate = ({ before }: LayerChange): boolean =>
    before !== null && before.kind !== 'dir' && before.changedMs >= startMs
  return changes.filter(isLate).map(({ path }) => path)
}

/** Only what was written counts: what was moved or removed takes no further room. */
function sizedFiles({ judged, displayOf }: JudgedPart) {
  return judged.landing
    .filter(({ before, after }) => (after ?? before)?.kind !== 'dir')
    .map(({ path, after }) => ({
      display: displayOf(path),
      bytes: after?.kind === 'file' && after.source.layer === 'upper' ? after.size : 0,
    }))
}

/** What lands in one root. */
interface PreparedPart {
  readonly changes: readonly HashedChange[]
  readonly notes: readonly string[]
  readonly attributes: ReadonlyMap<Digest, Uint8Array>
  /** The places of files without extended attributes. */
  readonly bare: readonly string[]
}

/** Hashes what lands in one root, and makes its upper folder hold it as it is to land. */
async function preparePart(part: JudgedPart, deps: LayerReadDeps, pause: Pause): Promise<PreparedPart> {
  const { judged, displayOf } = part
  const { landing, touched, withheld, leftOut } = judged
  // Hashing opens what its owner may not read, and what was only touched is open.
  const hashedLanding = await runWithPauses(hashChanges(part, landing), pause)
  const attributed = await findAttributedFiles(part, [...landing, ...touched, ...withheld])
  const ofFiles = await findFileAttributes(part, [...landing, ...touched], attributed, pause)
  const changed = touched.filter(({ path }) => (ofFiles.get(path)?.names ?? []).length > 0)
  const signs = { attributed, mayBeMarked: part.mayBeMarked }
  const marked = await findMarked(part, [...landing, ...changed, ...withheld], signs, pause)
  const inFiles = new Map<Digest, Uint8Array>()
  const hashed = [...hashedLanding, ...(await runWithPauses(hashChanges(part, changed), pause))].map(
    (change) => withFileAttributes(change, ofFiles.get(change.path), inFiles),
  )
  await refuseLost(part, { withheld, leftOut, landing: hashed, touched, marked, displayOf, pause })
  const { changes: plain, dropped } = dropSpecialBits(part, hashed)
  const { changes: planned, separated, ...plan } = planCopies(plain, marked)
  const kept = await makeCopies(part, plan, pause)
  const roots = deps.sandbox.roots.map(({ path }) => path)
  const { changes, payloads } = await withFolderAttributes(part, planned, part.attributesOf, pause)
  const notes = collectNotes({ changes, dropped, separated, marked: kept, roots, displayOf })
  const copied = new Set([...plan.inUpper, ...plan.fromLower.keys()])
  const bare = changes
    .filter((change) => !copied.has(change.path) && isBare(change, attributed))
    .map(({ path }) => placeOf(part.lower.path, path))
  return { changes, notes, attributes: new Map([...payloads, ...inFiles]), bare }
}

/** The changes of all roots, and the folders that are opened for them. */
interface FoundChanges {
  readonly hashed: readonly HashedChange[]
  readonly shut: readonly HashedChange[]
}

async function describe(
  parts: readonly JudgedPart[],
  { hashed, shut }: FoundChanges,
  notes: readonly string[],
  { settings: { maxFileBytes } }: LayerReadDeps,
  pause: Pause,
): Promise<Omit<LayerRead, 'attributes' | 'bare'>> {
  const shows = new Map(parts.map(({ part, displayOf }) => [part, displayOf]))
  const displayOf = ({ part, path }: HashedChange): string => shows.get(part.part)?.(path) ?? path
  const changes = recordChanges([...hashed, ...shut])
  const moved = findMoved(hashed)
  const options = { maxFileBytes, displayOf, moved, stored: findStoredByGit(hashed, displayOf), pause }
  const { text: diff, hunks } = await diffLayer(hashed, options)
  return {
    changes,
    stale: parts.flatMap(({ stale, displayOf: show }) => stale.map(show)),
    folders: parts.flatMap(({ folders }) => folders),
    shown: showChanges(hashed, moved, displayOf),
    leftOut: parts.flatMap(({ judged, displayOf: show }) =>
      judged.leftOut.map(({ change, why }): LeftOut => ({ path: show(change.path), why })),
    ),
    thrownAway: parts.reduce((sum, { judged }) => sum + judged.thrownAway, 0),
    bytes: hashed.reduce((sum, { after }) => sum + (after?.kind === 'file' ? after.size : 0), 0),
    diff,
    hunks: numberHunks(hunks, changes, options),
    contents: await stageContents(hashed, { maxFileBytes, displayOf, pause }),
    notes,
  }
}
