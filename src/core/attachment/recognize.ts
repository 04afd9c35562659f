import type { Recognized } from './attachment.ts'

/** No provider counts a picture as more, because larger ones are scaled down first. */
const MOST_PICTURE_TOKENS = 4_800
const PIXELS_PER_TOKEN = 750
const PAGE_TOKENS = 3_000
/** For documents whose pages cannot be counted without decompressing them. */
const BYTES_PER_TOKEN = 20
const MOST_PAGES = 600
/** JPEG segments before the one with the size: metadata may take many, but not endlessly many. */
const MOST_SEGMENTS = 1_000

/** A view of bytes that never reads beyond their end. */
class Header {
  readonly #bytes: Uint8Array
  readonly #view: DataView

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  }

  get length(): number {
    return this.#bytes.length
  }

  has(at: number, ...expected: readonly (number | string)[]): boolean {
    const wanted = expected.flatMap((one) =>
      typeof one === 'number' ? [one] : [...one].map((letter) => letter.charCodeAt(0)),
    )
    return wanted.every((byte, index) => this.#bytes[at + index] === byte)
  }

  byte(at: number): number {
    return this.#bytes[at] ?? 0
  }

  big16(at: number): number {
    return at + 2 <= this.length ? this.#view.getUint16(at) : 0
  }

  big32(at: number): number {
    return at + 4 <= this.length ? this.#view.getUint32(at) : 0
  }

  little16(at: number): number {
    return at + 2 <= this.length ? this.#view.getUint16(at, true) : 0
  }

  little24(at: number): number {
    return at + 3 <= this.length ? this.little16(at) + (this.byte(at + 2) << 16) : 0
  }

  little32(at: number): number {
    return at + 4 <= this.length ? this.#view.getUint32(at, true) : 0
  }
}

interface Size {
  readonly width: number
  readonly height: number
}

/**
 * What bytes are by their header, whatever the file is called; null if they are neither a picture nor a document, or
 * the header is incomplete. Nothing is decoded or decompressed.
 */
export function recognizeAttachment(bytes: Uint8Array): Recognized | null {
  const header = new Header(bytes)
  if (header.has(0, '%PDF-') && /\d/.test(String.fromCharCode(header.byte(5))))
    return { type: 'application/pdf', tokens: documentTokens(bytes) }
  const found = readPng(header) ?? readGif(header) ?? readWebp(header) ?? readJpeg(header)
  if (found === null || found.size.width === 0 || found.size.height === 0) return null
  const { width, height } = found.size
  const tokens = Math.min(MOST_PICTURE_TOKENS, Math.ceil((width * height) / PIXELS_PER_TOKEN)) + 100
  return { type: found.type, width, height, tokens }
}

interface Found {
  readonly type: Recognized['type']
  readonly size: Size
}

function readPng(header: Header): Found | null {
  const isPng = header.has(0, 0x89, 'PNG\r\n', 0x1a, '\n', 0, 0, 0, 13, 'IHDR')
  // The header ends with its checksum.
  if (!isPng || header.length < 33) return null
  return { type: 'image/png', size: { width: header.big32(16), height: header.big32(20) } }
}

function readGif(header: Header): Found | null {
  if (!header.has(0, 'GIF87a') && !header.has(0, 'GIF89a')) return null
  if (header.length < 13) return null
  return { type: 'image/gif', size: { width: header.little16(6), height: header.little16(8) } }
}

function readWebp(header: Header): Found | null {
  if (!header.has(0, 'RIFF') || !header.has(8, 'WEBP') || header.length < 30) return null
  const size = readWebpSize(header)
  return size === null ? null : { type: 'image/webp', size }
}

function readWebpSize(header: Header): Size | null {
  if (header.has(12, 'VP8X')) return { width: header.little24(24) + 1, height: header.little24(27) + 1 }
  if (header.has(12, 'VP8L') && header.has(20, 0x2f)) {
    const packed = header.little32(21)
    return { width: (packed & 0x3fff) + 1, height: ((packed >>> 14) & 0x3fff) + 1 }
  }
  if (header.has(12, 'VP8 ') && header.has(23, 0x9d, 0x01, 0x2a))
    return { width: header.little16(26) & 0x3fff, height: header.little16(28) & 0x3fff }
  return null
}

/** The size is in the first frame segment, after any metadata, which is passed over. */
function readJpeg(header: Header): Found | null {
  if (!header.has(0, 0xff, 0xd8, 0xff)) return null
  let at = 2
  for (let count = 0; count < MOST_SEGMENTS && at + 4 <= header.length; count++) {
    if (header.byte(at) !== 0xff) return null
    const marker = header.byte(at + 1)
    if (marker === 0xff) at += 1
    else if (isFrame(marker))
      return at + 9 > header.length
        ? null
        : { type: 'image/jpeg', size: { height: header.big16(at + 5), width: header.big16(at + 7) } }
    else if (marker === 0xda || marker === 0xd9 || header.big16(at + 2) < 2) return null
    else at += 2 + header.big16(at + 2)
  }
  return null
}

function isFrame(marker: number): boolean {
  return marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc
}

/** By the pages that are named in the clear; a document that packs them away is estimated by its bytes. */
function documentTokens(bytes: Uint8Array): number {
  const text = new TextDecoder('latin1').decode(bytes)
  let pages = 0
  const found = text.matchAll(/\/Type ?\/Page(?![a-zA-Z])/g)
  while (pages < MOST_PAGES && found.next().done !== true) pages += 1
  const tokens = pages === 0 ? Math.ceil(bytes.length / BYTES_PER_TOKEN) : pages * PAGE_TOKENS
  return Math.min(Math.max(tokens, PAGE_TOKENS), MOST_PAGES * PAGE_TOKENS)
}
