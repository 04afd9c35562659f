import { Buffer } from 'node:buffer'
import type { SearchVisitor } from '../../core/powers.ts'
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
  readonly found: () => readonly FoundPlaces[]
}

/** Collects the places of matches in up to `maxFiles` files; more make `onTooMany` throw. */
export function collectPlaces(
  maxFiles: number,
  includes: (path: string) => boolean,
  onTooMany: () => never,
): PlaceCollector {
  const files = new Map<string, { readonly bytes: Uint8Array; readonly places: Place[] }>()
  let current: { readonly path: string; readonly bytes: Uint8Array } | null = null
  return {
    visitor: {
      includes,
      open(path, bytes) {
        current = isBinary(bytes, true) ? null : { path, bytes: Uint8Array.from(bytes) }
        return current !== null
      },
      match(_line, from, to) {
        if (current === null) return 'next_file'
        const known = files.get(current.path)
        if (known === undefined) {
          if (files.size === maxFiles) onTooMany()
          files.set(current.path, { bytes: current.bytes, places: [{ from, to }] })
        } else known.places.push({ from, to })
        return 'more'
      },
      tick: () => undefined,
    },
    found: () =>
      [...files].map(([path, { bytes, places }]) => ({
        path,
        bytes,
        places: places.filter(({ from, to }) => to > from).toSorted((a, b) => a.from - b.from),
      })),
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
