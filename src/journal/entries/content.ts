/** SHA-256 of some bytes, as 64 hex digits. The chain refers to payloads only by this. */
export type Digest = string

/** Content that is stored by its digest. Text is stored and hashed as UTF-8. */
export type Content = Uint8Array | string

const utf8 = new TextEncoder()

/** The bytes that are stored. */
export function bytesOf(content: Content): Uint8Array {
  return typeof content === 'string' ? utf8.encode(content) : content
}
