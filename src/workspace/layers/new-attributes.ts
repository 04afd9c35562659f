import { Buffer } from 'node:buffer'
import { compareCodePoints } from '../../core/text/compare.ts'
import { findWithAttributes } from '../../host/layer/archive-files.ts'
import type { LayerChange } from '../../host/layer/layer-change.ts'
import { withoutMarks } from '../../host/layer/folder-marks.ts'
import { areAttributesRead } from '../../host/fs/attributes.ts'
import type { Attributes } from '../../host/fs/pax.ts'
import { showPath } from '../../host/root/rel-path.ts'
import { systemClock } from '../../host/system/clock.ts'
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

/**
 * The names of the extended attributes that a command changed, by path, of those files that it left on its layer; `above`
 * are those that have any there.
 */
export async function findNewAttributes(
  { upper, lower }: OpenPart,
  changes: readonly LayerChange[],
  above: ReadonlySet<string>,
  pause: Pause,
): Promise<ReadonlyMap<string, readonly string[]>> {
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
  const changed = new Map<string, readonly string[]>()
  for (const { path } of differing) {
    const names = namesOfNew(inLower.get(path) ?? NONE, inUpper.get(path) ?? NONE)
    if (names.length > 0) changed.set(path, names)
  }
  return changed
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
    .filter((name) => !LABELS.test(name) && textOf(before.get(name)) !== textOf(after.get(name)))
    .toSorted(compareCodePoints)
    .map((name) => (after.has(name) ? showPath(name) : `${showPath(name)} (removed)`))
}

const LABELS = /^security\.(?!capability$)/

function textOf(value: Uint8Array | undefined): string | null {
  return value === undefined ? null : Buffer.from(value).toString('hex')
}
