import { readableName } from '../../root/exact-name.ts'
import { resolveOrNull } from '../../root/io-failure.ts'
import { absoluteOf, relativeTo } from '../../root/rel-path.ts'
import type { Root } from '../../root/root.ts'
import { findWay } from '../../way/find-way.ts'
import { isAnyones } from '../../way/process-links.ts'

/**
 * What a link with a hidden name leads to, byte for byte: in its root, elsewhere, nowhere that can be followed, or elsewhere
 * for each program that follows it.
 */
export type LinkTarget =
  | { readonly is: 'inside'; readonly rel: string; readonly kind: 'file' | 'folder' }
  | { readonly is: 'outside'; readonly real: string }
  | { readonly is: 'nowhere' }
  | { readonly is: 'anyones'; readonly real: string }

/** Follows a link. One that leaves its root may come back by a link that is not in it. */
export function targetOf(root: Root, link: string): LinkTarget {
  const target = resolveOrNull(root, link)
  if (target === null) return { is: 'nowhere' }
  if (target.isInside) return insideOf(target.rel, target.kind)
  const { real, place, ...way } = findWay(absoluteOf(root.path, link))
  if (isAnyones({ ...way, real })) return { is: 'anyones', real }
  if (place === null) return { is: 'nowhere' }
  const rel = relativeTo(root.path, real)
  if (rel === null) return { is: 'outside', real }
  return { is: 'inside', rel, kind: place.kind === 'folder' ? 'folder' : 'file' }
}

/** Whether a link leads where it led before. */
export function isSameTarget(one: LinkTarget, other: LinkTarget): boolean {
  return describe(one) === describe(other)
}

/** What hidden links lead to in another root, as readable paths relative to it. The root itself is not hidden by that. */
export function reachedIn(root: string, targets: Iterable<string>): ReadonlySet<string> {
  const found = new Set([...targets].map((real) => readableName(relativeTo(root, real) ?? '')))
  found.delete('')
  return found
}

function insideOf(rel: string, kind: string): LinkTarget {
  if (kind === 'missing') return { is: 'nowhere' }
  return { is: 'inside', rel, kind: kind === 'dir' ? 'folder' : 'file' }
}

function describe(target: LinkTarget): string {
  if (target.is === 'inside') return `${target.kind} ${target.rel}`
  return target.is === 'outside' ? target.real : target.is
}
