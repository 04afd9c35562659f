import { isUtf8 } from 'node:buffer'
import { SNIFF_BYTES } from '../../config/fixed-values.ts'

/** The most bytes that one character has. */
export const LONGEST_CHARACTER = 4

const utf8 = new TextDecoder('utf-8', { ignoreBOM: true })

/** The text of bytes that are known to be UTF-8. A byte order mark stays in. */
export function decodeText(bytes: Uint8Array): string {
  return utf8.decode(bytes)
}

/** Whether bytes are no text: a NUL near the beginning, or no UTF-8. Bytes that are not all may end inside a character. */
export function isBinary(bytes: Uint8Array, areAll: boolean): boolean {
  if (bytes.subarray(0, SNIFF_BYTES).includes(0)) return true
  return !isUtf8(areAll ? bytes : bytes.subarray(0, endOfCharacter(bytes, bytes.length)))
}

/** The largest end not beyond `end` that does not split a character. */
export function endOfCharacter(bytes: Uint8Array, end: number): number {
  for (let back = 1; back < LONGEST_CHARACTER && back <= end; back++) {
    const byte = bytes[end - back] ?? 0
    const isContinuation = (byte & 0xc0) === 0x80
    if (!isContinuation) return characterLength(byte) > back ? end - back : end
  }
  return end
}

function characterLength(firstByte: number): number {
  if (firstByte < 0xc0) return 1
  if (firstByte < 0xe0) return 2
  return firstByte < 0xf0 ? 3 : LONGEST_CHARACTER
}

/** The length of the byte order mark that the bytes begin with; 0 if there is none. */
export function bomLength(bytes: Uint8Array): number {
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0
}
