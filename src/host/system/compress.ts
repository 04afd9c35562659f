import { Buffer } from 'node:buffer'
import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib'

/** Higher levels take longer and gain little on texts of a few shapes. */
const LEVEL = 3

/** Compresses a text with Zstandard. */
export function compressText(text: string): Uint8Array {
  return zstdCompressSync(text, { params: { [constants.ZSTD_c_compressionLevel]: LEVEL } })
}

/** The text that was compressed; null if the bytes are damaged, or the text would be longer than `mostBytes`. */
export function decompressText(bytes: Uint8Array, mostBytes: number): string | null {
  try {
    return Buffer.from(zstdDecompressSync(bytes, { maxOutputLength: mostBytes })).toString('utf8')
  } catch {
    return null
  }
}
