import { Buffer } from 'node:buffer'
import { crc32, deflateSync } from 'node:zlib'

function chunk(name: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(name, 'latin1'), data])
  const frame = Buffer.alloc(8)
  frame.writeUInt32BE(data.length, 0)
  frame.writeUInt32BE(crc32(body), 4)
  return Buffer.concat([frame.subarray(0, 4), body, frame.subarray(4)])
}

/** A PNG that says it has this size, with chunks of its own before the picture. */
export function png(width: number, height: number, extra: Readonly<Record<string, string>> = {}): Buffer {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  header.set([8, 0, 0, 0, 0], 8)
  return Buffer.concat([
    Buffer.from('\u0089PNG\r\n\u001a\n', 'latin1'),
    chunk('IHDR', header),
    ...Object.entries(extra).map(([name, text]) => chunk(name, Buffer.from(text, 'latin1'))),
    chunk('IDAT', deflateSync(Buffer.alloc(2))),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

/** A GIF of this size. */
export function gif(width: number, height: number): Buffer {
  const bytes = Buffer.alloc(14)
  bytes.write('GIF89a', 'latin1')
  bytes.writeUInt16LE(width, 6)
  bytes.writeUInt16LE(height, 8)
  bytes[13] = 0x3b
  return bytes
}

/** A JPEG of this size, with segments of metadata before it. */
export function jpeg(width: number, height: number, metadata: readonly Buffer[] = []): Buffer {
  const segments = metadata.map((data) => {
    const head = Buffer.from([0xff, 0xe1, 0, 0])
    head.writeUInt16BE(data.length + 2, 2)
    return Buffer.concat([head, data])
  })
  const frame = Buffer.from([0xff, 0xc2, 0, 11, 8, 0, 0, 0, 0, 1, 1, 0x11, 0])
  frame.writeUInt16BE(height, 5)
  frame.writeUInt16BE(width, 7)
  return Buffer.concat([Buffer.from([0xff, 0xd8]), ...segments, frame, Buffer.from([0xff, 0xd9])])
}

/** A WebP of this size, in one of the three forms. */
export function webp(form: 'VP8 ' | 'VP8L' | 'VP8X', width: number, height: number): Buffer {
  const bytes = Buffer.alloc(32)
  bytes.write('RIFF', 'latin1')
  bytes.writeUInt32LE(24, 4)
  bytes.write(`WEBP${form}`, 8, 'latin1')
  if (form === 'VP8X') {
    bytes.writeUIntLE(width - 1, 24, 3)
    bytes.writeUIntLE(height - 1, 27, 3)
  } else if (form === 'VP8L') {
    bytes[20] = 0x2f
    bytes.writeUInt32LE((((height - 1) << 14) | (width - 1)) >>> 0, 21)
  } else {
    bytes.set([0x9d, 0x01, 0x2a], 23)
    bytes.writeUInt16LE(width, 26)
    bytes.writeUInt16LE(height, 28)
  }
  return bytes
}

/** A PDF with this many pages, and something of its own in the middle. */
export function pdf(pages: number, middle = ''): Buffer {
  const objects = Array.from(
    { length: pages },
    (_, index) => `${index + 3} 0 obj<</Type/Page/Parent 2 0 R>>endobj`,
  )
  const text = `%PDF-1.7\n%\u00e2\u00e3\u00cf\u00d3\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n2 0 obj<</Type/Pages/Count ${pages}>>endobj\n${objects.join('\n')}\n${middle}\n%%EOF\n`
  return Buffer.from(text, 'latin1')
}
