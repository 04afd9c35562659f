import { findKeyBodies, findPrivateKeys, KEY_HEADS, KEY_LINE, MAX_KEY_CHARS } from './find-private-keys.ts'
import { isUnreadable } from './looks.ts'
import type { Span } from './span.ts'

/** The lines of the private keys in files that were read, to find them again where only a part of a file is shown. */
export interface KeyLines {
  /** Takes what was read of a file. */
  readonly note: (bytes: Uint8Array) => void
  /** Where lines of those keys, or parts of such lines, are in a text. */
  readonly find: (text: string) => readonly Span[]
}

/** Text in which a key can be; the file may be large, and most have none. */
const HINT = new RegExp(`PRIVATE KEY|PuTTY-User-Key-File|${KEY_HEADS}`)
/** So many characters of a key are no coincidence. */
const PIECE_CHARS = 16
/** Only every eighth piece is kept: any part of a line that is a little longer has one of them. */
const STRIDE = 8

/** Keys are ASCII, and this is the quickest way to read it. */
const DECODER = new TextDecoder('latin1')

/** A single line of a key looks like any other data; only the file around it tells. */
export function createKeyLines(): KeyLines {
  const pieces = new Set<string>()
  return {
    note(bytes) {
      const text = DECODER.decode(bytes)
      const spans = [...(HINT.test(text) ? findPrivateKeys(text, false) : []), ...findKeyBodies(text)]
      for (const { start, end } of spans)
        for (const [run] of text.slice(start, Math.min(end, start + MAX_KEY_CHARS)).matchAll(KEY_LINE))
          // Between the two lines that name a key there may be code that is about keys.
          if (isUnreadable(run)) for (const piece of piecesOf(run)) pieces.add(piece)
    },
    find(text) {
      if (pieces.size === 0) return []
      return [...text.matchAll(KEY_LINE)].flatMap(({ index, 0: run }) =>
        hasPiece(run, pieces) ? [{ start: index, end: index + run.length, kind: 'private key' }] : [],
      )
    },
  }
}

function piecesOf(run: string): readonly string[] {
  const last = run.length - PIECE_CHARS
  const starts = Array.from({ length: Math.floor(last / STRIDE) + 1 }, (_, index) => index * STRIDE)
  return [...starts, last].map((start) => run.slice(start, start + PIECE_CHARS))
}

function hasPiece(run: string, pieces: ReadonlySet<string>): boolean {
  for (let at = 0; at + PIECE_CHARS <= run.length; at++)
    if (pieces.has(run.slice(at, at + PIECE_CHARS))) return true
  return false
}
