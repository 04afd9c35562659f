import { Buffer } from 'node:buffer'

const NOT_ASCII = /[^\x00-\x7f]/
const strictUtf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/**
 * A file name as a string that loses nothing. Names are bytes: valid UTF-8 reads as such, and every other byte becomes
 * a lone surrogate U+DC80 to U+DCFF, which no valid text contains. Takes the bytes as Latin-1, as Node reads them.
 */
export function exactName(latin1: string): string {
  if (!NOT_ASCII.test(latin1)) return latin1
  const bytes = Buffer.from(latin1, 'latin1')
  return decode(bytes) ?? decodePiecewise(bytes)
}

/** The readable form of an exact name or path, with replacement characters for bytes that are not UTF-8. */
export function readableName(exact: string): string {
  return exact.isWellFormed() ? exact : exactBytes(exact).toString('utf8')
}

/** An exact name or path in the form that the file system calls take. */
export function systemName(exact: string): string | Buffer {
  return exact.isWellFormed() ? exact : exactBytes(exact)
}

/** The bytes behind an exact name, each as one Latin-1 character. */
export function latin1Name(exact: string): string {
  return NOT_ASCII.test(exact) ? exactBytes(exact).toString('latin1') : exact
}

function exactBytes(exact: string): Buffer {
  const pieces: Buffer[] = []
  for (const character of exact) {
    const code = character.codePointAt(0) ?? 0
    pieces.push(code >= 0xdc80 && code <= 0xdcff ? Buffer.of(code - 0xdc00) : Buffer.from(character))
  }
  return Buffer.concat(pieces)
}

function decode(bytes: Uint8Array): string | null {
  try {
    return strictUtf8.decode(bytes)
  } catch {
    return null
  }
}

function decodePiecewise(bytes: Buffer): string {
  let text = ''
  let at = 0
  while (at < bytes.length) {
    const byte = bytes[at] ?? 0
    const length = byte < 0x80 ? 1 : byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : 4
    const character = decode(bytes.subarray(at, at + length))
    if (character === null) {
      text += String.fromCharCode(0xdc00 + byte)
      at++
    } else {
      text += character
      at += length
    }
  }
  return text
}
