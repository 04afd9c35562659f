import { isBelow } from '../mount.ts'
import type { BindMount, Mount } from '../mount.ts'
import type { HeldPlace } from './held-place.ts'
import { OpenedPlaces } from './opened-places.ts'
import { cannotHide } from './refusals.ts'

/**
 * Hides denied paths that exist. In places that were granted they are looked at through open descriptors, as a name may
 * lead elsewhere for a moment; throws if such a place, or a denied path in it, is no longer what was judged. What is hidden
 * already, at a place where a path leads, is left out: it depends on what shows there, not on the name.
 */
export function hideDenied(
  paths: readonly string[],
  visible: readonly Mount[],
  granted: readonly HeldPlace[],
  isHidden: (path: string, at: string) => boolean = () => false,
): readonly Mount[] {
  const shown = visible.filter((mount): mount is BindMount => mount.kind === 'read' || mount.kind === 'write')
  const opened = new OpenedPlaces(granted)
  try {
    return paths.flatMap((path): readonly Mount[] => {
      // A mount can neither replace a link nor go through one.
      const place = opened.placeOf(path)
      if (place === null) return []
      const { real } = place
      // A link to a folder that holds it would hide what has other names.
      if (real !== path && isBelow(path, real)) return []
      const kind = place.kind === 'folder' ? 'hide-folder' : 'hide-file'
      // What is shown through a link is hidden there too.
      const places = shown
        .filter(({ at, from = at }) => isBelow(real, from))
        .map(({ at, from = at }) => at + real.slice(from.length))
        .filter((at) => !isHidden(path, at))
      if (places.length > 0 && !real.isWellFormed()) throw cannotHide(path, real)
      return [...new Set(places)].map((at) => ({ kind, at }))
    })
  } finally {
    opened.close()
  }
}
