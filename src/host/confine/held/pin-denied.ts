import { dirname, join } from 'node:path'
import { createEffort } from '../../git/follow/effort.ts'
import { traceNamedPath } from '../../git/follow/follow-named-path.ts'
import type { FoundLink } from '../../way/follow-way.ts'
import type { HeldPlace } from './held-place.ts'
import { OpenedPlaces } from './opened-places.ts'
import { grantChanged } from './refusals.ts'
import { isBelow, orderMounts } from '../mount.ts'
import type { BindMount, Mount } from '../mount.ts'

/** What decides which folders are pinned. */
export interface PinRequest {
  /** Names that are denied, links among them. */
  readonly denied: readonly string[]
  /** What hides them. */
  readonly hidden: readonly Mount[]
  /** What shows besides. */
  readonly visible: readonly Mount[]
  /** Paths that show in another way, so that nothing of them is opened by a pin. */
  readonly own: readonly string[]
  readonly granted: readonly HeldPlace[]
  /** Whether what a command changes at a path is judged before it lands. */
  readonly isLayered: (path: string) => boolean
}

/** What keeps denied names where they are. */
export interface PinnedNames {
  readonly mounts: readonly Mount[]
  /** Links on the way from denied names to what is hidden, which no mount can keep in their place. */
  readonly links: readonly FoundLink[]
}

/** Of what is not started. */
export const NO_PINS: PinnedNames = { mounts: [], links: [] }

/**
 * Makes the folders above denied names mounts of their own, wherever a command writes directly. A mount hides a name only
 * as long as that is denied: a command could move a folder above it, and the next one would read the content under a name
 * that is not. In places that were granted, what is mounted is held, as a name may lead elsewhere for a moment.
 */
export function pinDenied(request: PinRequest): PinnedNames {
  const { denied, hidden, visible, own, granted, isLayered } = request
  const mounts = new Map(orderMounts(visible).map((mount) => [mount.at, mount]))
  const closed = new Set([...hidden.map(({ at }) => at), ...own])
  const shown = visible.filter((mount): mount is BindMount => 'from' in mount && mount.kind !== 'copy')
  const isDirect = (path: string): boolean =>
    placesOf(path, shown).some((at) => !isLayered(at) && findAround(at, mounts, closed) !== null)
  const pins = new Map<string, BindMount>()
  const opened = new OpenedPlaces(granted)
  try {
    const ways = denied
      .filter((path) => !closed.has(path) && opened.placeOf(path) !== null)
      .map((path) => traceNamedPath(path, createEffort()))
    const links = ways.flatMap((way) => way.links).filter(({ path }) => isDirect(path))
    // A folder that a link goes through and leaves again is not above anything that is hidden.
    const passed = ways.flatMap(({ left }) => left.map((folder) => join(folder, '.left')))
    // Above a name that does not exist yet, there may be no folder either.
    const there = denied.filter((path) => opened.isThere(path))
    const names = [...there, ...links.map(({ path }) => path), ...passed]
    for (const name of [...names.flatMap((path) => placesOf(path, shown)), ...closed]) {
      for (let at = dirname(name); at !== '/' && !pins.has(at); at = dirname(at)) {
        if (mounts.has(at) || isLayered(at)) continue
        const around = findAround(at, mounts, closed)
        if (around !== null) pins.set(at, hold({ ...around, at }, opened))
      }
    }
    return { mounts: [...pins.values()], links: uniqueLinks(links) }
  } finally {
    opened.close()
  }
}

/** Several names may lead by the same links. */
function uniqueLinks(links: readonly FoundLink[]): readonly FoundLink[] {
  return [...new Map(links.map((link) => [link.path, link])).values()]
}

/** Where a path shows; what lies in a place that shows elsewhere shows there as well. */
function placesOf(path: string, shown: readonly BindMount[]): readonly string[] {
  const elsewhere = shown.filter(({ at, from = at }) => isBelow(path, from))
  return [path, ...elsewhere.map(({ at, from = at }) => at + path.slice(from.length))]
}

/** What a folder is a part of, as a mount for the folder alone; null if a command cannot write or see it. */
function findAround(
  path: string,
  mounts: ReadonlyMap<string, Mount>,
  closed: ReadonlySet<string>,
): { readonly kind: 'write'; readonly from: string } | null {
  for (let at = path; ; at = dirname(at)) {
    if (closed.has(at)) return null
    const mount = mounts.get(at)
    if (mount !== undefined)
      return mount.kind === 'write'
        ? { kind: 'write', from: (mount.from ?? at) + path.slice(at.length) }
        : null
    if (at === '/') return null
  }
}

/** By its name, another process could have something else mounted in a place that was granted. */
function hold(pin: BindMount & { readonly from: string }, opened: OpenedPlaces): BindMount {
  const place = opened.heldAt(pin.from)
  if (place === undefined) return pin
  if (place?.real !== pin.from || place.kind !== 'folder') throw grantChanged(pin.from)
  return { ...pin, identity: place.identity }
}
