/** SHA-256 of some bytes, as 64 hex digits. Payloads are known to the chain only by this. */
export type Digest = string

/** Something to be kept by its digest. Text is kept as UTF-8, and digested as such. */
export type Content = Uint8Array | string

const utf8 = new TextEncoder()

/** The bytes that are kept. */
export function bytesOf(content: Content): Uint8Array {
  return typeof content === 'string' ? utf8.encode(content) : content
}
