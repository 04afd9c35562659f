import { Buffer } from 'node:buffer'

/** Extended attributes by their full names. */
export type Attributes = ReadonlyMap<string, Uint8Array>

/** One file as an archive holds it. */
export interface ArchivedFile {
  readonly name: string
  readonly content: Uint8Array
  readonly mode: number
  readonly uid: number
  readonly gid: number
  readonly attributes: Attributes
}

/** A folder as an archive holds it. */
export type ArchivedFolder = Omit<ArchivedFile, 'name' | 'content'>

const BLOCK_BYTES = 512
const PREFIX = 'SCHILY.xattr.'
const EXTENDED = 'x'
const REGULAR = '0'
const FOLDER = '5'

/** The attributes of the first file in a POSIX archive. */
export function readFirstAttributes(archive: Uint8Array): Attributes {
  const bytes = Buffer.from(archive.buffer, archive.byteOffset, archive.byteLength)
  return kindAt(bytes, 0) === EXTENDED
    ? parseRecords(bytes.subarray(BLOCK_BYTES, BLOCK_BYTES + sizeAt(bytes, 0)))
    : new Map()
}

/** The attributes of all files in a POSIX archive, in order. */
export function readAllAttributes(archive: Uint8Array): readonly Attributes[] {
  const bytes = Buffer.from(archive.buffer, archive.byteOffset, archive.byteLength)
  const found: Attributes[] = []
  let next: Attributes = new Map()
  // An archive ends with blocks of zeros.
  for (let at = 0; at + BLOCK_BYTES <= bytes.length && bytes[at] !== 0;) {
    const body = at + BLOCK_BYTES
    const size = sizeAt(bytes, at)
    if (kindAt(bytes, at) === EXTENDED) next = parseRecords(bytes.subarray(body, body + size))
    else {
      found.push(next)
      next = new Map()
    }
    at = body + Math.ceil(size / BLOCK_BYTES) * BLOCK_BYTES
  }
  return found
}

function kindAt(bytes: Buffer, at: number): string {
  return bytes.toString('latin1', at + 156, at + 157)
}

function sizeAt(bytes: Buffer, at: number): number {
  return Number.parseInt(bytes.toString('latin1', at + 124, at + 135), 8)
}

function parseRecords(records: Buffer): Attributes {
  const attributes = new Map<string, Uint8Array>()
  for (let at = 0; at < records.length;) {
    // Each record begins with its own length, in bytes and as text.
    const space = records.indexOf(0x20, at)
    const length = Number(records.toString('latin1', at, space))
    if (space < 0 || !Number.isInteger(length) || length <= 0) break
    const equals = records.indexOf(0x3d, space)
    const key = records.toString('utf8', space + 1, equals)
    if (key.startsWith(PREFIX))
      attributes.set(key.slice(PREFIX.length), records.subarray(equals + 1, at + length - 1))
    at += length
  }
  return attributes
}

/** A POSIX archive of one file, or of the folder it is extracted in. */
export function writeArchive(entry: ArchivedFile | ArchivedFolder): Uint8Array {
  const { mode, uid, gid, attributes } = entry
  const [name, content, kind] =
    'content' in entry ? [entry.name, entry.content, REGULAR] : ['./', new Uint8Array(), FOLDER]
  const records = Buffer.concat([
    record('uid', Buffer.from(String(uid))),
    record('gid', Buffer.from(String(gid))),
    ...[...attributes].map(([key, value]) => record(`${PREFIX}${key}`, value)),
  ])
  return Buffer.concat([
    header('attributes', records.length, 0o600, EXTENDED),
    padded(records),
    header(name, content.length, mode, kind),
    padded(content),
    Buffer.alloc(2 * BLOCK_BYTES),
  ])
}

function record(key: string, value: Uint8Array): Buffer {
  const rest = Buffer.concat([Buffer.from(` ${key}=`), value, Buffer.from('\n')])
  // The length counts its own digits too.
  let length = rest.length
  while (length !== rest.length + String(length).length) length = rest.length + String(length).length
  return Buffer.concat([Buffer.from(String(length)), rest])
}

function header(name: string, size: number, mode: number, kind: string): Buffer {
  const block = Buffer.alloc(BLOCK_BYTES)
  block.write(name, 0, 100)
  for (const [value, at, digits] of [
    [mode, 100, 7],
    [0, 108, 7],
    [0, 116, 7],
    [size, 124, 11],
    [0, 136, 11],
  ] as const)
    block.write(value.toString(8).padStart(digits, '0'), at)
  block.write(' '.repeat(8), 148)
  block.write(kind, 156)
  block.write('ustar', 257)
  block.write('00', 263)
  const sum = block.reduce((total, byte) => total + byte, 0)
  block.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148)
  return block
}

function padded(bytes: Uint8Array): Buffer {
  const rest = bytes.length % BLOCK_BYTES
  return Buffer.concat(rest === 0 ? [bytes] : [bytes, Buffer.alloc(BLOCK_BYTES - rest)])
}
