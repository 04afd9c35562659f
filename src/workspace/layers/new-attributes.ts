import { Buffer } from 'node:buffer'
import { readFileAttributes, findWithAttributes } from '../../host/layer/archive-files.ts'
import type { LayerChange } from '../../host/layer/layer-change.ts'
import { OVERLAY_PREFIXES } from '../../host/layer/folder-marks.ts'
import type { Attributes } from '../../host/fs/pax.ts'
import type { OpenPart, Pause } from './layer-files.ts'

/** Reading attributes reads the content too, and in memory; a larger file is taken to have its attributes still. */
const MAX_BYTES = 64 * 1024 ** 2

/** Those of some files with the same content, mode and owner as before whose extended attributes a command changed. */
export async function findNewAttributes(
  { upper, lower }: OpenPart,
  touched: readonly LayerChange[],
  pause: Pause,
): Promise<readonly LayerChange[]> {
  const files = touched.filter(({ after }) => (after?.size ?? 0) <= MAX_BYTES)
  const paths = files.map(({ path }) => path)
  const [above, below] = await Promise.all([
    findWithAttributes(upper, paths),
    findWithAttributes(lower, paths),
  ])
  const changed: LayerChange[] = []
  for (const change of files) {
    const { path } = change
    if (!above.has(path) && !below.has(path)) continue
    const waiting = pause()
    if (waiting !== undefined) await waiting
    const [is, was] = [readFileAttributes(upper, path), readFileAttributes(lower, path)]
    if (textOf(is) !== textOf(was)) changed.push(change)
  }
  return changed
}

/** Attributes in a form that can be compared, without the marks of the overlay. */
function textOf(attributes: Attributes): string {
  const own = [...attributes].filter(([name]) => !OVERLAY_PREFIXES.some((prefix) => name.startsWith(prefix)))
  const named = own.map(([name, value]) => `${name}=${Buffer.from(value).toString('hex')}`)
  return named.toSorted().join('\n')
}
