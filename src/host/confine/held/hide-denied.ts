import { closeSync } from 'node:fs'
import { failure } from '../../../core/error.ts'
import type { ToolFailure } from '../../../core/error.ts'
import { showPath } from '../../root/rel-path.ts'
import { openedPath, openPlace } from './held-place.ts'
import type { HeldPlace } from './held-place.ts'
import { kindOrMissing, realPathOf } from '../inspect-path.ts'
import { isBelow } from '../mount.ts'
import type { BindMount, Mount } from '../mount.ts'

/**
 * Hides denied paths that exist. In places that were granted they are looked at through open descriptors, as a name may
 * lead elsewhere for a moment; throws if such a place, or a denied path in it, is no longer what was judged.
 */
export function hideDenied(
  paths: readonly string[],
  visible: readonly Mount[],
  granted: readonly HeldPlace[],
): readonly Mount[] {
  const shown = visible.filter((mount): mount is BindMount => mount.kind === 'read' || mount.kind === 'write')
  const opened = new OpenedPlaces(granted)
  try {
    return paths.flatMap((path): readonly Mount[] => {
      // A mount can neither replace a link nor go through one.
      const real = opened.realOf(path)
      if (real === null) return []
      const kind = kindOrMissing(opened.wayTo(real)) === 'folder' ? 'hide-folder' : 'hide-file'
      // What is shown through a link is hidden there too.
      const places = shown
        .filter(({ at, from = at }) => isBelow(real, from))
        .map(({ at, from = at }) => at + real.slice(from.length))
      return [...new Set(places)].map((at) => ({ kind, at }))
    })
  } finally {
    opened.close()
  }
}

/** A command must not start, because a path that it was granted is not what was judged. */
export function grantChanged(path: string): ToolFailure {
  return failure(
    'execution_failed',
    `${showPath(path)} was replaced while the sandbox was set up, so the command did not run.`,
    { path: showPath(path) },
    ['Run it again when nothing else renames or replaces what it is granted.'],
  )
}

class OpenedPlaces {
  readonly #granted: readonly HeldPlace[]
  readonly #descriptors = new Map<string, number>()

  constructor(granted: readonly HeldPlace[]) {
    this.#granted = granted
  }

  /** The path without links; null if it leads nowhere. Throws if it is in a place that was exchanged. */
  realOf(path: string): string | null {
    const way = this.wayTo(path)
    const real = realPathOf(way)
    if (way === path) return real
    const kind = kindOrMissing(way)
    // It was there when the place was looked at.
    if (kind === 'missing' || (kind !== 'link' && real !== path)) throw grantChanged(path)
    return real
  }

  /** A way to a path by the descriptor of the place it is in. */
  wayTo(path: string): string {
    const top = this.#granted.find(({ real }) => isBelow(path, real) && path !== real)
    if (top === undefined) return path
    const fd = this.#descriptors.get(top.real) ?? openPlace(top)
    if (fd === null) throw grantChanged(top.real)
    this.#descriptors.set(top.real, fd)
    return openedPath(fd) + path.slice(top.real.length)
  }

  close(): void {
    for (const fd of this.#descriptors.values()) closeSync(fd)
  }
}
