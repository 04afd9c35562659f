import type { IncomingMessage } from 'node:http'
import { pipeline } from 'node:stream'
import type { Readable } from 'node:stream'
import { createBrotliDecompress, createGunzip } from 'node:zlib'
import { failure } from '../../core/error.ts'

/** What was read of an answer. */
export interface Body {
  readonly bytes: Uint8Array
  readonly isCut: boolean
}

/** How a body may be packed; only what is asked for is unpacked, and only once. */
const UNPACK = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  br: createBrotliDecompress,
} as const

/** The packings to ask for. */
export const ACCEPTED_ENCODINGS = 'gzip, br'

/** Reads a body up to a number of bytes after unpacking; the rest is neither read nor unpacked. */
export async function readBody(response: IncomingMessage, maxBytes: number): Promise<Body> {
  const parts: Buffer[] = []
  let size = 0
  const stream = unpacked(response)
  try {
    for await (const part of stream as AsyncIterable<Buffer>) {
      parts.push(part)
      size += part.length
      if (size > maxBytes) break
    }
  } catch (error) {
    if (error instanceof Error && 'code' in error && isPackingFault(String(error.code)))
      throw failure('execution_failed', `The answer cannot be unpacked (${String(error.code)}).`, {}, [
        'The server sends broken data; try another address.',
      ])
    throw error
  } finally {
    stream.destroy()
    response.destroy()
  }
  const all = Buffer.concat(parts)
  return { bytes: all.subarray(0, maxBytes), isCut: all.length > maxBytes }
}

function unpacked(response: IncomingMessage): Readable {
  const encoding = (response.headers['content-encoding'] ?? 'identity').trim().toLowerCase()
  if (encoding === 'identity' || encoding === '') return response
  if (!Object.hasOwn(UNPACK, encoding)) {
    response.destroy()
    throw failure('execution_failed', 'The answer is packed in a way that was not asked for.', {}, [
      'The server does not follow the protocol; try another address.',
    ])
  }
  const unpacker = UNPACK[encoding as keyof typeof UNPACK]()
  // Errors reach whoever reads the unpacker.
  pipeline(response, unpacker, () => undefined)
  return unpacker
}

function isPackingFault(code: string): boolean {
  return code.startsWith('Z_') || code.startsWith('ERR_BROTLI') || code.startsWith('ERR__ERROR_FORMAT')
}
