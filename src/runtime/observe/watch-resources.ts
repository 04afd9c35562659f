import type { Settings } from '../../config/keys.ts'
import type { Clock } from '../../core/clock.ts'
import type { Effect } from '../../core/tool.ts'
import { countDescriptors, freeBytes } from '../../host/system/resources.ts'
import type { Availability, DiskRoom } from '../../policy/judge-resources.ts'
import { findShortage } from '../../policy/judge-resources.ts'

/** The folders that calls write to. */
export interface WatchedPlaces {
  readonly roots: readonly string[]
  /** Null if nothing is stored on disk. */
  readonly stateDir: string | null
}

type Folder = DiskRoom['folder']

/** The folders whose disks a call with this effect writes to. */
const WRITES: Readonly<Record<Effect, readonly Folder[]>> = {
  read: [],
  edit: ['the workspace', 'the state folder'],
  spawn: ['the workspace', 'the state folder'],
  external: ['the state folder'],
}

/** Measures free disk space and file descriptors. A measurement is reused for a while, unless something was short. */
export function watchResources(
  places: WatchedPlaces,
  settings: Settings,
  clock: Clock,
): (effect: Effect) => Availability {
  const validMs = settings['tools.resources.look_seconds'] * 1000
  const measured = new Map<Effect, { readonly left: Availability; readonly until: number }>()
  return (effect) => {
    const now = clock.elapsed()
    const last = measured.get(effect)
    if (last !== undefined && now < last.until) return last.left
    const left = measure(places, WRITES[effect])
    const isShort = findShortage(left, settings) !== null
    measured.set(effect, { left, until: isShort ? now : now + validMs })
    return left
  }
}

function measure({ roots, stateDir }: WatchedPlaces, folders: readonly Folder[]): Availability {
  const paths: Readonly<Record<Folder, readonly string[]>> = {
    'the workspace': roots,
    'the state folder': stateDir === null ? [] : [stateDir],
  }
  const disks = folders.flatMap((folder) =>
    paths[folder].flatMap((path): readonly DiskRoom[] => {
      const free = freeBytes(path)
      return free === null ? [] : [{ folder, path, freeBytes: free }]
    }),
  )
  return { disks, descriptors: countDescriptors() }
}
