import { closeSync, constants, fstatSync, openSync, readlinkSync, statSync } from 'node:fs'
import { digestListing } from '../../confine/listing-check.ts'
import { latin1Name, systemName } from '../../root/exact-name.ts'
import { identityOf } from '../../root/file-stat.ts'
import { O_PATH } from '../../system/open-flags.ts'
import { findMountCalls } from '../../native/load-native.ts'
import { MOUNT_FLAGS } from '../../native/mount-calls.ts'
import type { MountCalls } from '../../native/mount-calls.ts'
import { UPPER } from '../layer.ts'
import { overlayOptions } from './layer-mounts.ts'
import type { HoleMount, LayerMounts, OverlayMount } from './layer-mounts.ts'
import { CHANGED } from './layer-script.ts'
import { listLayer } from './list-layer.ts'

/** The original namespace of this process, held open. */
interface Home {
  readonly calls: MountCalls
  readonly namespace: number
  readonly root: number
}

let home: Home | null | undefined

/**
 * Starts something with a layer mounted, by moving this thread into a namespace of mounts and back: what is started
 * meanwhile stays there. It does what the script of a layer does, without a program of its own for each step. Null if this
 * process cannot, so that the script has to; `CHANGED` if the workspace is not as it was looked at.
 */
export function startOnMounts<T>(mounts: LayerMounts, start: () => T): T | typeof CHANGED | null {
  home ??= findHome()
  if (home === null) return null
  const { calls } = home
  if (calls.unshare() !== 0) return null
  try {
    const found = mountAll(calls, mounts)
    return found === 'mounted' ? start() : found
  } finally {
    goHome(home)
  }
}

function findHome(): Home | null {
  const calls = findMountCalls()
  if (calls === null) return null
  try {
    return { calls, namespace: openSync('/proc/self/ns/mnt', constants.O_RDONLY), root: openFolder('/') }
  } catch {
    return null
  }
}

/** A process that is left in the namespace of a command would start all others in it. */
function goHome({ calls, namespace, root }: Home): void {
  if (calls.enter(namespace) === 0) {
    if (identityOf(fstatSync(root)) === identityOf(statSync('/')) || calls.changeRoot(root) === 0) return
  }
  process.exit(1)
}

function mountAll(
  calls: MountCalls,
  { overlays, stands, listed, listing, holes }: LayerMounts,
): 'mounted' | typeof CHANGED | null {
  const { bind, private: isPrivate, recursive } = MOUNT_FLAGS
  if (calls.mount({ from: 'none', at: '/', flags: recursive | isPrivate }) !== 0) return null
  const lines = mountOverlays(calls, overlays)
  if (lines === null) return null
  try {
    for (const { from, to } of stands)
      if (calls.mount({ from, at: to, flags: bind }) !== 0 || makeReadOnly(calls, to) !== 0) return CHANGED
    const shown = listed.flatMap((layer, at) => listLayer(layer).map((line) => `${at}${line}`))
    if (digestListing([...lines, ...shown]) !== listing) return CHANGED
    return holes.every((hole) => mountHole(calls, hole)) ? 'mounted' : CHANGED
  } catch {
    return CHANGED
  }
}

/** Mounts the layers; returns the lines that say what they are over, and null if the system refuses. */
function mountOverlays(calls: MountCalls, overlays: readonly OverlayMount[]): readonly string[] | null {
  const lines: string[] = []
  try {
    for (const overlay of overlays) {
      const identity = mountOverlay(calls, overlay)
      if (identity === null) return null
      if (overlay.listedAs !== null) lines.push(`${overlay.listedAs}r ${identity}`)
    }
    return lines
  } catch {
    return null
  }
}

/** Mounts a layer; returns what it is over, and null if the system refuses. */
function mountOverlay(calls: MountCalls, overlay: OverlayMount): string | null {
  const at = latin1Name(overlay.at)
  // In the new namespace, as only what was opened there can be mounted.
  const held = openFolder(overlay.from)
  try {
    process.chdir(overlay.folder)
    const options = overlayOptions(overlay, `/proc/self/fd/${held}`, UPPER)
    const mount = (all: string): number => calls.mount({ from: 'overlay', at, type: 'overlay', options: all })
    // Without `volatile`, the end of a command would wait until the whole disk is written; older systems lack it.
    if (mount(`volatile,${options}`) !== 0 && mount(options) !== 0) return null
    return identityOf(fstatSync(held))
  } finally {
    closeSync(held)
  }
}

function makeReadOnly(calls: MountCalls, at: string): number {
  const { bind, readOnly, remount } = MOUNT_FLAGS
  return calls.mount({ from: 'none', at, flags: remount | bind | readOnly })
}

/** Mounts a folder or file that shows as it is; false if it is another one by now. */
function mountHole(calls: MountCalls, { from, identity, at, isWritable }: HoleMount): boolean {
  // Whatever has taken its place is neither waited for nor used.
  const held = openSync(from, O_PATH)
  try {
    if (identityOf(fstatSync(held)) !== identity) return false
    const source = openedPath(held)
    const isMounted = atPlace(
      at,
      (place) => calls.mount({ from: source, at: openedPath(place), flags: MOUNT_FLAGS.bind }) === 0,
    )
    // Opened again, as the first descriptor is of what is below it now.
    return (
      isMounted &&
      atPlace(at, (place) => {
        if (identityOf(fstatSync(place)) !== identity) return false
        return isWritable || makeReadOnly(calls, openedPath(place)) === 0
      })
    )
  } finally {
    closeSync(held)
  }
}

/** Opens a place to mount something; false if a link led elsewhere: nothing of a folder that others change is checked before. */
function atPlace(at: string, use: (place: number) => boolean): boolean {
  const place = openSync(systemName(at), O_PATH)
  try {
    return readlinkSync(openedPath(place), 'latin1') === latin1Name(at) && use(place)
  } finally {
    closeSync(place)
  }
}

function openedPath(descriptor: number): string {
  return `/proc/self/fd/${descriptor}`
}

function openFolder(path: string): number {
  return openSync(path, constants.O_RDONLY | constants.O_DIRECTORY)
}
