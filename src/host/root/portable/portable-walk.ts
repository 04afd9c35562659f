import { lstatSync } from 'node:fs'
import type { WalkStep } from '../../../core/powers.ts'
import { systemName } from '../exact-name.ts'
import { fileStat } from '../file-stat.ts'
import { checkPlace, portablePlaceOf } from './portable-place.ts'
import type { PortablePlace } from './portable-place.ts'
import { readFolder } from '../read-folder.ts'
import { absoluteOf } from '../rel-path.ts'
import type { RootWalk, RootWalkEntry, WalkOrder } from '../root.ts'
import { FolderWalk, walkFolders } from '../walk-folders.ts'
import type { FolderAccess } from '../walk-folders.ts'

/** Nothing is held open: each folder is looked at again after it was used, and what changed counts as unreadable. */
const places: FolderAccess<PortablePlace> = {
  enter: (parent, name) => portablePlaceOf(absoluteOf(parent.path, name)),
  leave: () => {},
  read: (place) => {
    const entries = readFolder(systemName(place.path))
    checkPlace(place)
    return entries
  },
  stat: (place, name) => {
    const stats = lstatSync(systemName(absoluteOf(place.path, name)))
    checkPlace(place)
    return fileStat(stats)
  },
}

/** Visits everything below a folder, with the checks that paths allow. */
export function walkPlaces(
  start: PortablePlace,
  rel: string,
  visit: (entry: RootWalkEntry) => WalkStep,
): void {
  walkFolders(places, start, rel, visit)
}

/** The same, led by the caller. */
export function startPlaceWalk(start: PortablePlace, rel: string, order: WalkOrder): RootWalk {
  return new FolderWalk(places, start, rel, order)
}
