import { isAscii } from 'node:buffer'

/** Turns the bytes of a stream into text, piece by piece; what is no UTF-8 becomes replacement characters. */
export interface Decoder {
  readonly decode: (bytes: Uint8Array) => string
  /** What is left of a character that was never finished. */
  readonly end: () => string
}

/** Makes one. Plain ASCII, which most output is, takes a way that is several times quicker. */
export function createDecoder(): Decoder {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
  /** Whether no part of a character can be waiting in the decoder. */
  let isBetween = true
  return {
    decode: (bytes) => {
      if (bytes.length === 0) return ''
      const isPlain = isAscii(bytes)
      if (isBetween && isPlain) {
        return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1')
      }
      isBetween = isPlain
      return decoder.decode(bytes, { stream: true })
    },
    end: () => decoder.decode(),
  }
}
