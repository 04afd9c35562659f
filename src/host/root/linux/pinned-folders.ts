import { failure } from '../../../core/error.ts'
import { closeReadOnly } from '../../fs/plain-file.ts'
import { steadyMs } from '../../system/clock.ts'
import { findDescriptors, isInPlace, openFolder, placeCheck } from './linux-folder.ts'
import type { Pin, PlaceCheck } from './linux-folder.ts'
import { LongPins } from './long-pins.ts'
import type { Checked, LongPinsOptions } from './long-pins.ts'
import { absoluteOf } from '../rel-path.ts'

/** The folders of one root that are held open. */
export interface PinnedFolders {
  /** The folder in which descriptors appear as paths. */
  readonly descriptors: string
  /** Opens a folder by its path without links; must be released. */
  readonly pin: (rel: string) => Pin
  readonly release: (pin: Pin) => void
  /** Discards recent checks, because we have moved a folder. */
  readonly invalidateChecks: () => void
  /** Lets go of a folder that was removed: as long as it is open, the file system cannot free it. */
  readonly forget: (rel: string) => void
  readonly isClosed: () => boolean
  readonly close: () => void
}

/** Open folders count against the files that a process may open. */
const MAX_CACHED = 64
/** How long a check is valid within one run of synchronous code; shorter than any process takes to start and end. */
const TRUST_MS = 0.5

interface CachedPin extends Pin {
  readonly rel: string
  readonly check: PlaceCheck
  checkedAt: number
  checkedIn: number
}

/**
 * Keeps the folders of a root open on Linux. Before each use the kernel confirms that a folder is still at its path, so
 * a folder that was moved, removed or replaced is opened again.
 */
export function pinFolders(rootPath: string, openNative: LongPinsOptions['openNative']): PinnedFolders {
  const descriptors = findDescriptors()
  const cached = new Map<string, CachedPin>()
  let latest: CachedPin | null = null
  let isClosed = false
  let run = 0
  let isRunEnding = false

  const endRun = (): void => {
    run++
    isRunEnding = false
  }

  const isTrusted = ({ checkedAt, checkedIn }: Checked): boolean =>
    checkedIn === run && steadyMs() - checkedAt < TRUST_MS

  /** One check serves all uses in a synchronous run: no message from another process can arrive in between. */
  const isCurrent = (pin: CachedPin): boolean => {
    if (isTrusted(pin)) return true
    const now = steadyMs()
    if (!isInPlace(pin.check)) return false
    pin.checkedAt = now
    pin.checkedIn = run
    if (!isRunEnding) queueMicrotask(endRun)
    isRunEnding = true
    return true
  }

  const openDirectly = (rel: string): CachedPin | null => {
    const absolute = absoluteOf(rootPath, rel)
    const fd = openFolder(absolute)
    if (fd === null) return null
    const path = `${descriptors}/${fd}`
    const check = placeCheck(path, absolute)
    const pin: CachedPin = { fd, path, base: `${path}/`, rel, check, checkedAt: 0, checkedIn: -1 }
    let isKept = false
    try {
      isKept = isCurrent(pin)
      return isKept ? pin : null
    } finally {
      if (!isKept) closeReadOnly(fd)
    }
  }

  const evict = (pin: CachedPin): void => {
    cached.delete(pin.rel)
    if (latest === pin) latest = null
    closeReadOnly(pin.fd)
  }

  const cache = (pin: CachedPin): CachedPin => {
    if (pin === latest) return pin
    latest = pin
    cached.delete(pin.rel)
    cached.set(pin.rel, pin)
    const oldest = cached.size > MAX_CACHED ? cached.values().next().value : undefined
    if (oldest !== undefined) evict(oldest)
    return pin
  }

  /** The root is whatever folder is at its path now: after a fresh checkout there, the new one. */
  const pinCached = (rel: string): CachedPin | null => {
    if (isClosed) throw failure('execution_failed', `The root ${rootPath} is closed.`, { path: rootPath })
    const known = cached.get(rel)
    if (known !== undefined) {
      if (isCurrent(known)) return cache(known)
      evict(known)
    }
    const opened = openDirectly(rel)
    return opened === null ? null : cache(opened)
  }

  const pinTop = (): CachedPin => {
    const top = pinCached('')
    if (top !== null) return top
    const message = `The root ${rootPath} was moved or replaced since it was opened.`
    throw failure('execution_failed', message, { path: rootPath }, ['Put the folder back, or start again.'])
  }

  // Opening the top sees to it that the run ends.
  const checkNow = (): Checked => ({ checkedAt: steadyMs(), checkedIn: run })
  const longPins = new LongPins({ descriptors, isTrusted, openTop: pinTop, openNative, checkNow })

  return {
    descriptors,
    pin: (rel) => {
      if (rel === '') return pinTop()
      return pinCached(rel) ?? longPins.open(rel)
    },
    release: (pin) => longPins.release(pin),
    invalidateChecks: () => {
      run++
    },
    forget: (rel) => {
      const gone = cached.get(rel)
      if (gone !== undefined) evict(gone)
    },
    isClosed: () => isClosed,
    close: () => {
      isClosed = true
      longPins.close()
      for (const pin of cached.values()) evict(pin)
    },
  }
}
