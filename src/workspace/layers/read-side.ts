import { ToolFailure } from '../../core/error.ts'
import type { Spot } from '../../host/root/move-name.ts'
import { reachOwn } from '../../host/root/open-own.ts'
import { digest } from '../../host/system/hash.ts'
import type { FileChange } from '../../journal/entries/entry.ts'
import type { Attributes } from '../../host/fs/pax.ts'
import { parseAttributes } from '../landing/attribute-cache.ts'
import type { LookOptions } from '../landing/change-status.ts'
import { readBytes } from '../landing/file-state.ts'

/**
 * The content of a file before or after a change that a command made on a layer: while it lands it is either set aside
 * or in the workspace. Null if it is in neither place any more, or larger.
 */
export function readSide(
  { root, path, ...change }: FileChange,
  side: 'before' | 'after',
  maxBytes: number,
  { rootOf, held }: Pick<LookOptions, 'rootOf' | 'held'>,
): Uint8Array | null {
  const state = change[side]
  if (state?.held === undefined || state.kind !== undefined) return null
  try {
    const aside = held.find(root, state.held)
    const spots: readonly Spot[] = [...(aside === null ? [] : [aside]), { root: rootOf(root), rel: path }]
    for (const { root: top, rel } of spots) {
      const stat = top.stat(rel)
      if (stat?.kind !== 'file' || stat.size > maxBytes) continue
      const bytes = readBytes(top, rel, maxBytes)
      if (bytes !== null && digest(bytes) === state.digest) return bytes
    }
    return null
  } catch (thrown) {
    // What cannot be read now, such as a name below one that is a file since, is not shown.
    if (thrown instanceof ToolFailure) return null
    throw thrown
  }
}

/** The attributes of a file as it is now, or of one that was set aside; null if it is gone, or they cannot be read. */
export function readOwnAttributes(
  { root, path, ...change }: FileChange,
  side: 'before' | 'after' | 'now',
  { rootOf, held, attributeCache }: LookOptions,
): Attributes | null {
  const place = side === 'now' ? undefined : change[side]?.held
  const aside = place === undefined ? null : held.find(root, place)
  const spot = side === 'now' ? { root: rootOf(root), rel: path } : aside
  if (spot === null) return null
  try {
    const { payloads } = reachOwn(spot, () => attributeCache.read([{ root: spot.root, path: spot.rel }]))
    const [payload] = payloads.values()
    return payload === undefined ? NONE : parseAttributes(payload)
  } catch (thrown) {
    if (thrown instanceof ToolFailure) return null
    throw thrown
  }
}

const NONE: Attributes = new Map()
