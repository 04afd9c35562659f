import { Buffer } from 'node:buffer'
import { closeSync } from 'node:fs'
import { isPlainName, partsOf } from '../rel-path.ts'
import { descend, FOLDER_FLAGS } from './linux-folder.ts'
import type { Pin } from './linux-folder.ts'

/** When a folder was last known to be at its path. */
export interface Checked {
  readonly checkedAt: number
  readonly checkedIn: number
}

/** What keeping long paths open needs. */
export interface LongPinsOptions {
  readonly descriptors: string
  /** Whether a check is recent enough to be relied on. */
  readonly isTrusted: (checked: Checked) => boolean
  /** The folder at the top. */
  readonly openTop: () => Pin
  /** Opens a path without links below a folder by native code; null if there is none, or if it failed. */
  readonly openNative: (folder: number, path: string, flags: number) => number | null
  /** The mark of a check that ends now. */
  readonly checkNow: () => Checked
}

interface LongPin extends Pin, Checked {
  readonly rel: string
  uses: number
  isKept: boolean
}

/** They count against the files that a process may open. */
const MAX_KEPT = 8

/**
 * Folders by paths that are too long for the system to take or to confirm. One is opened part by part, from the nearest
 * folder above it that was opened just now: going down a long chain does not begin at the top at every step.
 */
export class LongPins {
  readonly #options: LongPinsOptions
  /** The newest first. */
  #kept: LongPin[] = []

  constructor(options: LongPinsOptions) {
    this.#options = options
  }

  open(rel: string): Pin {
    const { descriptors, isTrusted, openTop, checkNow } = this.#options
    for (const pin of this.#kept) if (!isTrusted(pin)) this.#drop(pin)
    const above = this.#nearest(rel)
    if (above?.rel === rel) return use(above)
    const rest = above === null ? rel : rel.slice(above.rel.length + 1)
    const start = (above ?? openTop()).fd
    const fd = this.#openInPieces(start, partsOf(rest)) ?? descend(descriptors, start, partsOf(rest))
    const path = `${descriptors}/${fd}`
    // It is where it should be as long as the folder that it was reached from is.
    const { checkedAt, checkedIn } = above ?? checkNow()
    const pin: LongPin = { fd, path, base: `${path}/`, rel, checkedAt, checkedIn, uses: 0, isKept: true }
    const oldest = this.#kept.at(MAX_KEPT - 1)
    if (oldest !== undefined) this.#drop(oldest)
    this.#kept = [pin, ...this.#kept]
    return use(pin)
  }

  release(pin: Pin): void {
    if (!isLong(pin)) return
    pin.uses--
    if (!pin.isKept && pin.uses === 0) closeSync(pin.fd)
  }

  close(): void {
    for (const pin of this.#kept) this.#drop(pin)
  }

  /** Opens a folder with as few system calls as its path needs; null if native code cannot do that. */
  #openInPieces(start: number, parts: readonly string[]): number | null {
    if (!parts.every(isPlainName)) return null
    let fd: number | null = null
    for (const piece of cut(parts)) {
      const next = this.#options.openNative(fd ?? start, piece, FOLDER_FLAGS)
      if (fd !== null) closeSync(fd)
      if (next === null) return null
      fd = next
    }
    return fd
  }

  #nearest(rel: string): LongPin | null {
    let found: LongPin | null = null
    for (const pin of this.#kept) {
      const isAbove = rel === pin.rel || rel.startsWith(`${pin.rel}/`)
      if (isAbove && pin.rel.length > (found?.rel.length ?? 0)) found = pin
    }
    return found
  }

  /** What is in use is closed when it is released. */
  #drop(pin: LongPin): void {
    this.#kept = this.#kept.filter((other) => other !== pin)
    pin.isKept = false
    if (pin.uses === 0) closeSync(pin.fd)
  }
}

/** The most bytes of a path that the system takes at a time, with its end. */
const MOST_BYTES = 4095

/** Joins the parts of a path to pieces that are short enough. */
function* cut(parts: readonly string[]): Generator<string> {
  let piece = ''
  let bytes = 0
  for (const part of parts) {
    const more = Buffer.byteLength(part) + 1
    if (piece !== '' && bytes + more > MOST_BYTES) {
      yield piece
      piece = ''
      bytes = 0
    }
    piece = piece === '' ? part : `${piece}/${part}`
    bytes += more
  }
  if (piece !== '') yield piece
}

function use(pin: LongPin): LongPin {
  pin.uses++
  return pin
}

function isLong(pin: Pin): pin is LongPin {
  return 'uses' in pin
}
