import { Buffer } from 'node:buffer'
import type { SearchVisitor } from '../../core/powers.ts'
import { compareCodePoints } from '../../core/text/compare.ts'
import { isBinary } from '../reading/bytes.ts'

/** A part of a file's bytes. */
export interface Place {
  readonly from: number
  readonly to: number
}

/** A file, as a search read it, and where its matches are. */
export interface FoundPlaces {
  readonly path: string
  readonly bytes: Uint8Array
  readonly places: readonly Place[]
}

/** The places of a search, by file. */
export interface PlaceCollector {
  readonly visitor: SearchVisitor
  /** Sorted by path. */
  readonly found: () => readonly FoundPlaces[]
  /** Files with a match that are not text. */
  readonly binary: () => readonly string[]
}

/** Which places of a search are collected. */
export interface PlaceFilter {
  readonly includes: (path: string) => boolean
  /** More files than this make `onTooMany` throw. */
  readonly maxFiles: number
  readonly onTooMany: () => never
  readonly isWanted: (bytes: Uint8Array, place: Place) => boolean
  /** Finds all places in a file that has a match, instead of the search; null if the search finds them. */
  readonly findAll: ((bytes: Uint8Array) => readonly Place[]) | null
}

/** Collects the places of matches. */
export function collectPlaces(filter: PlaceFilter): PlaceCollector {
  const files = new Map<string, { readonly bytes: Uint8Array; readonly places: Place[] }>()
  const binary = new Set<string>()
  let current: { readonly path: string; readonly bytes: Uint8Array } = { path: '', bytes: new Uint8Array(0) }
  let isText: boolean | null = null
  const add = (place: Place): void => {
    const { path, bytes } = current
    if (place.to === place.from || !filter.isWanted(bytes, place)) return
    const known = files.get(path)
    if (known === undefined && files.size === filter.maxFiles) filter.onTooMany()
    if (known === undefined) files.set(path, { bytes: Uint8Array.from(bytes), places: [place] })
    else known.places.push(place)
  }
  return {
    visitor: {
      includes: filter.includes,
      open(path, bytes) {
        current = { path, bytes }
        isText = null
        return true
      },
      match(_line, from, to) {
        isText ??= !isBinary(current.bytes, true)
        if (!isText) {
          binary.add(current.path)
          return 'next_file'
        }
        if (filter.findAll === null) {
          add({ from, to })
          return 'more'
        }
        for (const place of filter.findAll(current.bytes)) add(place)
        return 'next_file'
      },
      tick: () => undefined,
    },
    found: () =>
      [...files]
        .map(([path, { bytes, places }]) => ({
          path,
          bytes,
          places: places.toSorted((a, b) => a.from - b.from),
        }))
        .toSorted((a, b) => compareCodePoints(a.path, b.path)),
    binary: () => [...binary],
  }
}

/** Every place of a text that may span lines. */
export function findText(bytes: Uint8Array, text: string): readonly Place[] {
  const wanted = Buffer.from(text)
  const content = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const places: Place[] = []
  for (let at = content.indexOf(wanted); at !== -1; at = content.indexOf(wanted, at + wanted.length))
    places.push({ from: at, to: at + wanted.length })
  return places
}

const WORD = /[\p{L}\p{M}\p{N}_]/u

/** Whether a place neither begins nor ends inside a word. */
export function isWholeWord(bytes: Uint8Array, { from, to }: Place): boolean {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const before = lastOf(text.toString('utf8', Math.max(0, from - 8), from))
  const first = firstOf(text.toString('utf8', from, Math.min(to, from + 8)))
  const last = lastOf(text.toString('utf8', Math.max(from, to - 8), to))
  const after = firstOf(text.toString('utf8', to, to + 8))
  return !areOneWord(before, first) && !areOneWord(last, after)
}

function areOneWord(one: string, other: string): boolean {
  return WORD.test(one) && WORD.test(other)
}

function firstOf(text: string): string {
  return [...text][0] ?? ''
}

function lastOf(text: string): string {
  return [...text].at(-1) ?? ''
}
