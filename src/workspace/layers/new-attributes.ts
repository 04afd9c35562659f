import { Buffer } from 'node:buffer'
import { compareCodePoints } from '../../core/text/compare.ts'
import { findWithAttributes } from '../../host/layer/archive-files.ts'
import type { LayerChange } from '../../host/layer/layer-change.ts'
import { withoutMarks } from '../../host/layer/folder-marks.ts'
import { areAttributesRead } from '../../host/fs/attributes.ts'
import type { Attributes } from '../../host/fs/pax.ts'
import { showPath } from '../../host/root/rel-path.ts'
import { systemClock } from '../../host/system/clock.ts'
import { digest } from '../../host/system/hash.ts'
import type { Digest } from '../../journal/entries/entry.ts'
import { formatAttributes } from '../landing/attribute-cache.ts'
import type { HashedChange } from './file-changes.ts'
import { isLabel } from '../landing/merge-attributes.ts'
import type { OpenPart, Pause } from './layer-files.ts'
import { readAttributesOf } from './read-attributes.ts'

const NONE: Attributes = new Map()

/** Finds those files among changes that have extended attributes on the layer; all others are noted. */
export async function findAttributedFiles(
  { upper, attributeCache }: OpenPart,
  changes: readonly LayerChange[],
): Promise<ReadonlySet<string>> {
  const files = changes.flatMap(({ path, after }) =>
    after?.kind === 'file' && after.source.layer === 'upper' ? [{ path, after }] : [],
  )
  const seenMs = systemClock.now()
  const found = await findWithAttributes(upper, files.map(pathOf))
  for (const { path, after } of files) if (!found.has(path)) attributeCache?.noteNone(after, seenMs)
  return found
}

/** Whether a file of the layer was seen to have no extended attributes; of a large one nothing may be known. */
export function isBare({ path, after }: LayerChange, attributed: ReadonlySet<string>): boolean {
  if (after?.kind !== 'file' || after.source.layer !== 'upper' || attributed.has(path)) return false
  return path.isWellFormed() && areAttributesRead(after.size)
}

/** The extended attributes of a file that a command changed, before and after it, and the names of those that differ. */
export interface FileAttributes {
  readonly was: Attributes
  readonly is: Attributes
  readonly names: readonly string[]
}

/**
 * The extended attributes of those files that a command left on its layer and that have any on either side, by path; `above`
 * are those that have any on the layer.
 */
export async function findFileAttributes(
  { upper, lower }: OpenPart,
  changes: readonly LayerChange[],
  above: ReadonlySet<string>,
  pause: Pause,
): Promise<ReadonlyMap<string, FileAttributes>> {
  // What is too large for that is taken to have its attributes still.
  const files = changes.flatMap(({ path, before, after }) => {
    if (after?.kind !== 'file' || after.source.layer !== 'upper' || !areAttributesRead(after.size)) return []
    const was = before?.kind === 'file' && areAttributesRead(before.size) ? before : null
    return [{ path, is: { path, bytes: after.size }, was: was === null ? null : { path, bytes: was.size } }]
  })
  const there = files.flatMap(({ was }) => was ?? [])
  const below = await findWithAttributes(lower, there.map(pathOf))
  const differing = files.filter(({ path }) => above.has(path) || below.has(path))
  const inUpper = await readAttributesOf(
    upper,
    differing.map(({ is }) => is),
    pause,
  )
  const inLower = await readAttributesOf(
    lower,
    differing.flatMap(({ was }) => was ?? []),
    pause,
  )
  const found = new Map<string, FileAttributes>()
  for (const { path } of differing) {
    const [was, is] = [inLower.get(path) ?? NONE, inUpper.get(path) ?? NONE]
    found.set(path, { was, is, names: namesOfNew(was, is) })
  }
  return found
}

/** A change that names the attributes of both sides: once the file is edited, undo could not tell whose they are. */
export function withFileAttributes(
  change: HashedChange,
  found: FileAttributes | undefined,
  payloads: Map<Digest, Uint8Array>,
): HashedChange {
  if (found === undefined) return change
  const store = (attributes: Attributes): Digest | null => {
    const payload = formatAttributes(withoutMarks(attributes))
    if (payload === null) return null
    const named = digest(payload)
    payloads.set(named, payload)
    return named
  }
  const [beforeAttributes, afterAttributes] = [
    change.before === null ? null : store(found.was),
    store(found.is),
  ]
  return {
    ...change,
    ...(beforeAttributes === null ? {} : { beforeAttributes }),
    ...(afterAttributes === null ? {} : { afterAttributes }),
    ...(found.names.length === 0 ? {} : { newAttributes: found.names }),
  }
}

function pathOf({ path }: { readonly path: string }): string {
  return path
}

/**
 * The names of the attributes that differ, in order and as they are shown. Those of the overlay do not count, nor does what
 * the system labels by itself.
 */
export function namesOfNew(was: Attributes, is: Attributes): readonly string[] {
  const [before, after] = [withoutMarks(was), withoutMarks(is)]
  return [...new Set([...before.keys(), ...after.keys()])]
    .filter((name) => !isLabel(name) && textOf(before.get(name)) !== textOf(after.get(name)))
    .toSorted(compareCodePoints)
    .map((name) => (after.has(name) ? showPath(name) : `${showPath(name)} (removed)`))
}

function textOf(value: Uint8Array | undefined): string | null {
  return value === undefined ? null : Buffer.from(value).toString('hex')
}
