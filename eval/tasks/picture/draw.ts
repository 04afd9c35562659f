import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { crc32, deflateSync } from 'node:zlib'

/** Draws the pictures of the project: `node eval/tasks/picture/draw.ts`. */
interface Box {
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
  readonly color: number
}

const COLORS = [0xffffff, 0x202020, 0xc8c8c8, 0xd62728, 0x1f5fd6, 0xf2c230, 0x2a9d3a, 0x8e3cb8] as const
const [BLACK, GREY, RED, BLUE, YELLOW, GREEN, PURPLE] = [1, 2, 3, 4, 5, 6, 7]
const GLYPHS: Readonly<Record<string, string>> = {
  A: '01110 10001 11111 10001 10001',
  E: '11111 10000 11110 10000 11111',
  F: '11111 10000 11110 10000 10000',
  H: '10001 10001 11111 10001 10001',
  I: '01110 00100 00100 00100 01110',
  K: '10010 10100 11000 10100 10010',
  L: '10000 10000 10000 10000 11111',
  M: '10001 11011 10101 10001 10001',
  O: '01110 10001 10001 10001 01110',
  R: '11110 10001 11110 10010 10001',
  S: '01111 10000 01110 00001 11110',
  W: '10001 10001 10101 11011 10001',
  Y: '10001 01010 00100 00100 00100',
}
const DOT = 6
const TEN = 24

const bars = [
  [BLUE, 30],
  [GREEN, 50],
  [RED, 15],
  [PURPLE, 40],
] as const
const chart: readonly Box[] = [
  ...[0, 1, 2, 3, 4, 5].map((line) => ({
    x: 16,
    y: 144 - line * TEN,
    width: 208,
    height: 2,
    color: line === 0 ? BLACK : GREY,
  })),
  ...bars.map(([color, count], at) => {
    const height = (count / 10) * TEN
    return { x: 32 + at * 48, y: 144 - height, width: 32, height, color }
  }),
]

const trees = [
  ['OAK', RED],
  ['ASH', BLUE],
  ['ELM', YELLOW],
  ['FIR', GREEN],
  ['YEW', PURPLE],
] as const
const legend: readonly Box[] = trees.flatMap(([name, color], row) => [
  { x: 16, y: 16 + row * 46, width: 30, height: 30, color },
  ...[...name].flatMap((letter, at) => write(letter, 64 + at * 7 * DOT, 16 + row * 46)),
])

function write(letter: string, left: number, top: number): readonly Box[] {
  return (GLYPHS[letter] ?? '')
    .split(' ')
    .flatMap((line, row) =>
      [...line].flatMap((dot, column) =>
        dot === '1'
          ? [{ x: left + column * DOT, y: top + row * DOT, width: DOT, height: DOT, color: BLACK }]
          : [],
      ),
    )
}

/** A PNG with four bits for each pixel; each row says how it differs from the one above, so that boxes need few bytes. */
function encode(width: number, height: number, boxes: readonly Box[]): Buffer {
  const pixels = Array.from({ length: height }, () => Buffer.alloc(width))
  for (const box of boxes)
    for (const row of pixels.slice(box.y, box.y + box.height)) row.fill(box.color, box.x, box.x + box.width)
  const packed = pixels.map((row) =>
    Buffer.from(
      Array.from({ length: width / 2 }, (_, at) => ((row[at * 2] ?? 0) << 4) | (row[at * 2 + 1] ?? 0)),
    ),
  )
  const rows = packed.map((row, y) =>
    Buffer.from([2, ...row.map((byte, x) => byte - (packed[y - 1]?.[x] ?? 0))]),
  )
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  header.set([4, 3], 8)
  const palette = Buffer.from(COLORS.flatMap((color) => [color >> 16, (color >> 8) & 255, color & 255]))
  return Buffer.concat([
    Buffer.from('89504e470d0a1a0a', 'hex'),
    chunk('IHDR', header),
    chunk('PLTE', palette),
    chunk('IDAT', deflateSync(Buffer.concat(rows), { level: 9 })),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type), data])
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)]
  length.writeUInt32BE(data.length)
  sum.writeUInt32BE(crc32(body))
  return Buffer.concat([length, body, sum])
}

const folder = join(import.meta.dirname, 'files/pictures')
writeFileSync(join(folder, 'chart.png'), encode(240, 160, chart))
writeFileSync(join(folder, 'legend.png'), encode(208, 246, legend))
