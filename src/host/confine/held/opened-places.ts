import { closeSync } from 'node:fs'
import { findWay, openedPath } from '../../way/find-way.ts'
import { isAnyones } from '../../way/process-links.ts'
import { kindOrMissing } from '../inspect-path.ts'
import { isBelow } from '../mount.ts'
import { openPlace } from './held-place.ts'
import type { HeldPlace } from './held-place.ts'
import { grantChanged, leadsAnyone } from './refusals.ts'

/** Ways to what is in granted places, through descriptors that are opened when they are first needed. */
export class OpenedPlaces {
  readonly #granted: readonly HeldPlace[]
  readonly #descriptors = new Map<string, number>()

  constructor(granted: readonly HeldPlace[]) {
    this.#granted = granted
  }

  /**
   * What a denied path leads to; null if it leads nowhere. Throws if it is in a place that was exchanged, or if it leads
   * each program elsewhere.
   */
  placeOf(path: string): HeldPlace | null {
    const top = this.#topOf(path)
    const way = top === null ? findWay(path) : findWay(path.slice(top.real.length + 1), top)
    if (isAnyones(way)) throw leadsAnyone(path, way.real)
    // It was there when the place was looked at, and the folders above it were none of them links.
    const isLink = way.links[0]?.path === path
    if (top !== null && !isLink && way.place?.real !== path) throw grantChanged(path)
    return way.place
  }

  /** What a path is in the place that was granted and that it is in; undefined if it is in none. */
  heldAt(path: string): HeldPlace | null | undefined {
    const top = this.#topOf(path)
    return top === null ? undefined : findWay(path.slice(top.real.length + 1), top).place
  }

  /** Whether there is anything by a name, a link or what it leads to. */
  isThere(path: string): boolean {
    const top = this.#topOf(path)
    const way = top === null ? path : openedPath(top.fd) + path.slice(top.real.length)
    return kindOrMissing(way) !== 'missing'
  }

  #topOf(path: string): { readonly fd: number; readonly real: string } | null {
    const top = this.#granted.find(({ real }) => isBelow(path, real) && path !== real)
    if (top === undefined) return null
    const fd = this.#descriptors.get(top.real) ?? openPlace(top)
    if (fd === null) throw grantChanged(top.real)
    this.#descriptors.set(top.real, fd)
    return { fd, real: top.real }
  }

  close(): void {
    for (const fd of this.#descriptors.values()) closeSync(fd)
  }
}
