import { Buffer } from 'node:buffer'
import type { Files } from '../../core/powers.ts'
import type { FoundPlaces, Place } from './find-places.ts'

/** What to put in place of matches. */
export interface Replacement {
  readonly pattern: string
  readonly isRegex: boolean
  readonly isCaseSensitive: boolean
  readonly text: string
  readonly signal: AbortSignal
}

/** Whether a replacement names groups of the pattern. */
function hasGroups({ isRegex, text }: Replacement): boolean {
  return isRegex && /\$(?:[$&\d]|<)/.test(text)
}

/** The bytes of a file with its places replaced. */
export async function replacePlaces(
  { bytes, places }: FoundPlaces,
  replacement: Replacement,
  files: Files,
): Promise<Uint8Array> {
  const texts = hasGroups(replacement)
    ? await files.expand({
        query: replacement.pattern,
        isCaseSensitive: replacement.isCaseSensitive,
        replacement: replacement.text,
        signal: replacement.signal,
        places: places.map((place) => lineOf(bytes, place)),
      })
    : places.map(() => replacement.text)
  const parts: Uint8Array[] = []
  let done = 0
  for (const [index, { from, to }] of places.entries()) {
    parts.push(bytes.subarray(done, from), Buffer.from(texts[index] ?? ''))
    done = to
  }
  return Buffer.concat([...parts, bytes.subarray(done)])
}

const LF = 0x0a

/** The line of a place, and the place in it by UTF-16 units. */
function lineOf(bytes: Uint8Array, { from, to }: Place) {
  const start = from === 0 ? 0 : bytes.lastIndexOf(LF, from - 1) + 1
  const lf = bytes.indexOf(LF, to)
  const text = (low: number, high: number): string => Buffer.from(bytes.subarray(low, high)).toString('utf8')
  const before = text(start, from)
  const matched = text(from, to)
  const line = before + matched + text(to, lf === -1 ? bytes.length : lf).replace(/\r$/, '')
  return { line, from: before.length, to: before.length + matched.length }
}
