import { Buffer } from 'node:buffer'
import { mergeLines } from '../../core/text/merge-lines.ts'
import { splitLines } from '../../core/text/split-lines.ts'
import { unifiedDiff } from '../../core/text/unified-diff.ts'
import { showPath } from '../../core/text/display/show-path.ts'
import type { Digest, FileChange, FileState } from '../../journal/entries/entry.ts'
import type { SessionLog } from '../../journal/log.ts'
import { nameFile } from '../../journal/folds/net-changes.ts'
import { formatAttributes } from '../../workspace/landing/attribute-cache.ts'
import { mergeChange, NO_RIGHTS, withRightsOf } from '../../workspace/landing/merge-attributes.ts'
import type { Access, AsideOptions, Attributes } from '../../workspace/landing/merge-attributes.ts'
import { placeOf } from '../../workspace/landing/place-of.ts'
import type { FilePlace } from '../../workspace/landing/place-of.ts'
import type { CurrentFile } from '../../workspace/landing/read-current.ts'
import { namesOfNew } from '../../workspace/layers/new-attributes.ts'
import type { RevertDeps } from './revert-deps.ts'
import type { Workspace } from '../../workspace/workspace.ts'

/** A file that changed since, merged with what is to be reverted; or why it cannot be. */
export type MergedFile =
  | {
      readonly ok: true
      /** Null if nothing of the calls is left in it. */
      readonly change: FileChange | null
      readonly payloads: ReadonlyMap<Digest, Uint8Array>
      readonly diff: string
      /** What of its access and attributes stays, because it is not on record any more what a call did to it. */
      readonly stays: readonly string[]
    }
  | { readonly ok: false; readonly why: string }

/** What merging needs. */
export interface MergeDeps {
  readonly log: Pick<SessionLog, 'payload'>
  readonly workspace: Pick<Workspace, 'readCurrent' | 'readSide' | 'readAttributes'>
  readonly digest: (bytes: Uint8Array) => Digest
  readonly maxBytes: number
}

/**
 * Takes the reversed changes of one file, in the order in which they would be made, out of what the file holds now. Each
 * is a three-way merge: what the call left is the base, the file as it is one side, and the file before the call the
 * other. So lines that somebody else changed stay as they are.
 */
export function mergeFile(steps: readonly FileChange[], deps: MergeDeps): MergedFile {
  const [first] = steps
  if (first === undefined) return { ok: false, why: 'there is nothing to merge' }
  const { root, path } = first
  const now = deps.workspace.readCurrent(root, path, deps.maxBytes)
  if (now === null)
    return { ok: false, why: 'it was removed, replaced by something that is not a file, or is too large' }
  if (isBinary(now.bytes)) return { ok: false, why: 'it is a binary file' }
  const own = deps.workspace.readAttributes(first, 'now')
  if (own === null) return { ok: false, why: 'its attributes cannot be read' }
  let text = textOf(now.bytes)
  let access: Access = { mode: now.state.mode, attributes: own }
  const stays = new Set<string>()
  for (const step of steps) {
    const sides = readSides(step, deps)
    if ('why' in sides) return { ok: false, why: sides.why }
    const merged = mergeLines(splitLines(sides.base), splitLines(text), splitLines(sides.wanted))
    if (!merged.ok) return { ok: false, why: `both changed line ${merged.conflicts.join(', line ')}` }
    const merging = mergeChange(step, access, asideOf(step, deps))
    if (!merging.ok) return { ok: false, why: merging.why }
    text = merged.lines.join('')
    access = merging
    for (const one of merging.stays) stays.add(one)
  }
  const bytes = Buffer.from(text, 'latin1')
  const merged = deps.digest(bytes)
  // Special rights come back only with the content that had them.
  const isOnRecord = merged === steps.at(-1)?.after?.digest
  const given = isOnRecord
    ? access
    : withRightsOf(
        access,
        merged === now.state.digest ? { mode: now.state.mode, attributes: own } : NO_RIGHTS,
      )
  return {
    ok: true,
    stays: [...stays],
    ...changeOf(first, now, { ...given, digest: merged, bytes }, own, deps),
  }
}

/** The change of one file to what was merged, or null. */
function changeOf(
  { root, path }: FileChange,
  now: CurrentFile,
  { digest, bytes, mode, attributes }: Access & { readonly digest: Digest; readonly bytes: Uint8Array },
  own: Attributes,
  deps: MergeDeps,
): Pick<MergedFile & { ok: true }, 'change' | 'payloads' | 'diff'> {
  const payloads = new Map<Digest, Uint8Array>()
  const named = (some: Attributes): Pick<FileState, 'attributes'> => {
    const payload = formatAttributes(some)
    if (payload === null) return {}
    payloads.set(deps.digest(payload), payload)
    return { attributes: deps.digest(payload) }
  }
  const before = { ...now.state, ...named(own) }
  const after = { ...now.state, digest, mode, ...named(attributes) }
  if (digest === before.digest && mode === before.mode && after.attributes === before.attributes)
    return { change: null, payloads: new Map(), diff: '' }
  payloads.set(before.digest, now.bytes).set(digest, bytes)
  const names = namesOfNew(own, attributes)
  const shown = names.length === 0 ? '' : `Attributes of ${showPath(path)}: ${names.join(', ')}\n`
  const diff = shown + diffOf(path, now.bytes, bytes)
  return { change: { root, path, before, after, folders: [] }, payloads, diff }
}

/** Bytes are kept as they are, whatever their encoding: each becomes one character. */
function textOf(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('latin1')
}

function isBinary(bytes: Uint8Array): boolean {
  return bytes.includes(0)
}

interface Sides {
  readonly base: string
  readonly wanted: string
}

function readSides(step: FileChange, deps: MergeDeps): Sides | { readonly why: string } {
  const { before, after } = step
  if (before === null || after === null || before.kind !== undefined || after.kind !== undefined)
    return {
      why:
        after === null
          ? 'the call created it'
          : before === null
            ? 'the call removed it'
            : 'it is not a regular file',
    }
  const wanted = contentOf(step, 'after', deps)
  const base = contentOf(step, 'before', deps) ?? (before.digest === after.digest ? wanted : null)
  if (base === null || wanted === null) return { why: 'its earlier content is not on record any more' }
  if (isBinary(base) || isBinary(wanted)) return { why: 'it is a binary file' }
  return { base: textOf(base), wanted: textOf(wanted) }
}

function contentOf(
  step: FileChange,
  side: 'before' | 'after',
  { log, workspace, maxBytes }: MergeDeps,
): Uint8Array | null {
  const state = step[side]
  if (state === null) return null
  const stored = log.payload(state.digest) ?? workspace.readSide(step, side, maxBytes)
  return stored !== null && stored.length > maxBytes ? null : stored
}

function asideOf(step: FileChange, { log, workspace }: Pick<MergeDeps, 'log' | 'workspace'>): AsideOptions {
  return { contentOf: log.payload, readAside: (side) => workspace.readAttributes(step, side) }
}

/**
 * Files whose attributes or access list a change is about and somebody changed since. Of what is moved, the attributes come
 * along.
 */
export function findClashes(
  changes: readonly FileChange[],
  { log, workspace }: Pick<MergeDeps, 'log' | 'workspace'>,
): readonly FilePlace[] {
  return changes.filter((change) => {
    const { before, after } = change
    if (before === null || after === null || before.attributes === after.attributes) return false
    if ([before, after].some(({ kind, held }) => kind !== undefined || held !== undefined)) return false
    const attributes = workspace.readAttributes(change, 'now')
    // Who may do what by its mode is compared with the content.
    const now = { mode: before.mode, attributes: attributes ?? new Map<string, Uint8Array>() }
    return attributes !== null && !mergeChange(change, now, asideOf(change, { log, workspace })).ok
  })
}

function diffOf(path: string, before: Uint8Array, after: Uint8Array): string {
  const utf8 = new TextDecoder()
  return unifiedDiff({ path, before: utf8.decode(before), after: utf8.decode(after) })
}

/** What became of the files that changed since. */
export interface Merging {
  /** The files that could be merged, by root and path. */
  readonly places: ReadonlySet<string>
  readonly changes: readonly FileChange[]
  readonly payloads: ReadonlyMap<Digest, Uint8Array>
  readonly diff: string
  /** Files that could not be, each with the reason. */
  readonly refusals: readonly string[]
  /** What stays of files although the calls may have changed it, as a sentence about each. */
  readonly kept: readonly string[]
}

/** Where nothing is to be merged. */
export const NOTHING_MERGED: Merging = {
  places: new Set(),
  changes: [],
  payloads: new Map(),
  diff: '',
  refusals: [],
  kept: [],
}

/** Merges the files that changed since. */
export function mergeFiles(
  steps: readonly FileChange[],
  changed: ReadonlyMap<string, FilePlace>,
  deps: RevertDeps,
): Merging {
  const byFile = Map.groupBy(
    steps.filter(({ root, path }) => changed.has(placeOf(root, path))),
    ({ root, path }) => placeOf(root, path),
  )
  const places = new Set<string>()
  const changes: FileChange[] = []
  const payloads = new Map<Digest, Uint8Array>()
  const refusals: string[] = []
  const kept: string[] = []
  let diff = ''
  for (const [place, [first, ...others]] of byFile) {
    if (first === undefined) continue
    const merged = mergeFile([first, ...others], deps)
    if (!merged.ok) {
      refusals.push(`${showPath(nameFile(first, deps.log.key.root))}: ${merged.why}`)
      continue
    }
    places.add(place)
    if (merged.change !== null) changes.push(merged.change)
    for (const [digest, bytes] of merged.payloads) payloads.set(digest, bytes)
    diff += merged.diff
    if (merged.stays.length > 0)
      kept.push(`${showPath(nameFile(first, deps.log.key.root))} keeps ${merged.stays.join(', ')}`)
  }
  return { places, changes, payloads, diff, refusals, kept }
}
