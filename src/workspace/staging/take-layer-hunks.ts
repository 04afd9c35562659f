import { applyHunks, hunksBetween } from '../../core/text/unified-diff.ts'
import { ToolFailure } from '../../core/error.ts'
import { ownerAfter } from '../../host/fs/owner.ts'
import { folderOf, showPath } from '../../host/root/rel-path.ts'
import { digest } from '../../host/system/hash.ts'
import type { Digest, FileChange } from '../../journal/entries/entry.ts'
import type { AttributeCache } from '../landing/attribute-cache.ts'
import type { LookOptions } from '../landing/change-status.ts'
import { readBytes } from '../landing/file-state.ts'
import { isLeaf } from '../landing/contents/held.ts'
import { placeOf } from '../landing/place-of.ts'
import { noteLost, withoutSpecialRights } from './special-rights.ts'
import type { LeftPart } from './take-hunks.ts'
import { numbersOf } from './layer-hunks.ts'
import type { LayerHunks, NumberedChange } from './layer-hunks.ts'
import type { ShownChange } from '../layers/layer-read.ts'

/** What is taken of the changes of a layer. */
export interface LayerPartTaken {
  readonly changes: readonly FileChange[]
  /** The files and links among them. */
  readonly shown: readonly ShownChange[]
  readonly leftOut: readonly LeftPart[]
  /** Contents that are on no layer, because only a part of a file was taken. */
  readonly payloads: ReadonlyMap<Digest, Uint8Array>
  /** Files of which a part was taken and that are no longer as they were: nothing may land. */
  readonly stale: readonly string[]
  readonly notes: readonly string[]
}

/** The changes of a layer, and what a person chose of them. */
export interface LayerChoice {
  readonly changes: readonly FileChange[]
  readonly hunks: LayerHunks
  /** Hunks, counted from 1 in the order of the diff. */
  readonly chosen: readonly number[]
}

/** What taking a part needs. */
export interface TakeOptions extends Pick<LookOptions, 'rootOf' | 'held'> {
  readonly attributeCache: AttributeCache
}

const utf8 = { read: new TextDecoder('utf-8', { ignoreBOM: true }), write: new TextEncoder() }

/**
 * Takes the chosen hunks of what a layer changes. A folder is made if something in it is taken, and removed if everything
 * in it is. A file that is taken in part keeps its mode and owner, though no special rights, and its new content goes into
 * the journal.
 */
export function takeLayerHunks(
  { changes, hunks, chosen }: LayerChoice,
  options: TakeOptions,
): LayerPartTaken {
  const taken = new Set(chosen)
  for (const group of hunks.together)
    if (group.some((hunk) => !taken.has(hunk))) for (const hunk of group) taken.delete(hunk)
  const numbered = new Map(hunks.changes.map((one) => [placeOf(one.root, one.path), one]))
  const payloads = new Map<Digest, Uint8Array>()
  const stale: string[] = []
  const notes: string[] = []
  const parts = new Map<string, Part>()
  for (const change of changes) {
    const place = placeOf(change.root, change.path)
    const one = numbered.get(place)
    if (one !== undefined) parts.set(place, takePart(change, one, taken, options))
  }
  for (const { made, isStale, lost = null, display } of parts.values()) {
    for (const [name, bytes] of made ?? []) payloads.set(name, bytes)
    if (isStale === true) stale.push(display)
    if (lost !== null) notes.push(noteLost(display, lost))
  }
  const kept = keepFolders(changes, parts)
  return {
    changes: kept,
    shown: kept.flatMap((change) => showTaken(change, numbered)),
    leftOut: listLeft([...parts.values()]),
    payloads,
    stale,
    notes: [...notes, ...noteStored([...parts.values()])],
  }
}

/** What becomes of one change: all of it, a part of it, or nothing. */
interface Part {
  readonly display: string
  readonly git?: string
  readonly change: FileChange | null
  readonly left: readonly number[]
  readonly made?: ReadonlyMap<Digest, Uint8Array>
  /** The special rights that the file loses because its content changes. */
  readonly lost?: string | null
  readonly isStale?: boolean
}

function takePart(
  change: FileChange,
  numbered: NumberedChange,
  taken: ReadonlySet<number>,
  options: TakeOptions,
): Part {
  const { display, git, first, count, isText } = numbered
  const numbers = numbersOf(numbered)
  const left = numbers.filter((number) => !taken.has(number))
  if (git !== undefined) return { display, git, change: left.length === 0 ? change : null, left }
  if (left.length === 0) return { display, change, left }
  if (left.length === count || !isText) return { display, change: null, left: numbers }
  const { before, after, root: top, path } = change
  const sides = readSides(change, options)
  if (sides === null || before === null || after === null || sides.count !== count)
    return { display, change, left: numbers, isStale: true }
  const bytes = utf8.write.encode(applyHunks(sides.before, sides.after, (hunk) => taken.has(first + hunk)))
  const content = digest(bytes)
  if (content === before.digest) return { display, change: null, left: numbers }
  const root = options.rootOf(top)
  const { digests, payloads } = options.attributeCache.read([{ root, path }])
  const attributes = digests.get(placeOf(root.path, path))
  const made = new Map([...payloads, [content, bytes] as const])
  const rights = withoutSpecialRights(
    { mode: before.mode, ...(attributes === undefined ? {} : { attributes }) },
    made,
  )
  return {
    display,
    change: {
      ...change,
      after: { digest: content, mode: rights.mode, ...ownerAfter(before), ...rights.attributes },
    },
    left,
    made,
    lost: rights.lost,
  }
}

/** Both texts of a changed file; null if one of them is not what the change says. */
function readSides(
  { root, path, before, after }: FileChange,
  { rootOf, held }: TakeOptions,
): { readonly before: string; readonly after: string; readonly count: number } | null {
  const spot = after?.held === undefined ? null : held.find(root, after.held)
  if (spot === null) return null
  try {
    const was = readBytes(rootOf(root), path, Infinity)
    const is = readBytes(spot.root, spot.rel, Infinity)
    if (was === null || is === null) return null
    if (digest(was) !== before?.digest || digest(is) !== after?.digest) return null
    const [one, other] = [utf8.read.decode(was), utf8.read.decode(is)]
    return { before: one, after: other, count: hunksBetween(one, other).length }
  } catch (thrown) {
    // What cannot be read, such as a name that is a folder now, is not as it was.
    if (thrown instanceof ToolFailure) return null
    throw thrown
  }
}

/** What was left out, by files; a folder of git is named once. */
function listLeft(parts: readonly Part[]): readonly LeftPart[] {
  const listed = new Map<string, LeftPart>()
  for (const { display, git, left } of parts)
    if (left.length > 0)
      listed.set(JSON.stringify([git ?? display, left]), { path: git ?? display, hunks: left })
  return [...listed.values()]
}

/** A commit has its own copies of files, whatever lands of these. */
function noteStored(parts: readonly Part[]): readonly string[] {
  if (parts.every(({ git, left }) => git !== undefined || left.length === 0)) return []
  const taken = new Set(parts.flatMap(({ git, left }) => (git === undefined || left.length > 0 ? [] : [git])))
  return [...taken].map(
    (git) =>
      `What git stored in ${showPath(git)} landed as a whole: what was left out of files may be committed or staged there.`,
  )
}

/** The changes that are taken, with the folders that follow from them. */
function keepFolders(
  changes: readonly FileChange[],
  parts: ReadonlyMap<string, Part>,
): readonly FileChange[] {
  const withTaken = new Set<string>()
  const withLeft = new Set<string>()
  for (const { root, path } of changes) {
    const part = parts.get(placeOf(root, path))
    if (part === undefined) continue
    for (let folder = folderOf(path); folder !== ''; folder = folderOf(folder)) {
      if (part.change !== null) withTaken.add(placeOf(root, folder))
      if (part.left.length > 0) withLeft.add(placeOf(root, folder))
    }
  }
  return changes.flatMap((change): readonly FileChange[] => {
    const place = placeOf(change.root, change.path)
    const part = parts.get(place)
    if (part !== undefined) return part.change === null ? [] : [part.change]
    const isKept = change.after === null ? !withLeft.has(place) : withTaken.has(place)
    return isKept ? [change] : []
  })
}

function showTaken(
  { root, path, before, after }: FileChange,
  numbered: ReadonlyMap<string, NumberedChange>,
): readonly ShownChange[] {
  if (!isLeaf(before) && !isLeaf(after)) return []
  const change = !isLeaf(before) ? 'created' : isLeaf(after) ? 'modified' : 'deleted'
  const own = numbered.get(placeOf(root, path))
  const from = own?.from
  return [{ path: own?.display ?? path, change, ...(from === undefined ? {} : { from }) }]
}
