import { isUtf8 } from 'node:buffer'

/** The size of one read. */
const READ_BYTES = 65_536
/** Below this, the line about the bytes left out would not fit. */
const LEAST_KEPT_BYTES = 256
const MARKER_ROOM_BYTES = 64

/** Bounded text, and how many bytes of the whole it leaves out. */
export interface BoundedText {
  readonly text: string
  readonly leftOutBytes: number
  /** Set if the bytes are not text. */
  readonly binary?: BinaryOutput
}

/** The beginning of output that is not text. */
export interface BinaryOutput {
  readonly bytes: Uint8Array
  readonly totalBytes: number
}

/** Keeps the beginning and the end of a stream in a fixed amount of memory. */
export interface BoundedOutput {
  /** The buffer for the next read. */
  readonly room: () => Uint8Array
  /** Accepts the first bytes of that buffer, and returns them; they are valid until the next read. */
  readonly take: (bytes: number) => Uint8Array
  readonly totalBytes: () => number
  /** Whether some of the stream was dropped. */
  readonly isCut: () => boolean
  /** The bounded text, with a note about where the rest is. */
  readonly finish: (whereTheRestIs?: string) => BoundedText
}

/**
 * Bytes are read directly into a ring buffer that is two reads longer than the end to keep, so that only the beginning
 * is copied, once. The line about the bytes left out has room for a note of `noteBytes` about where they are.
 */
export function createBoundedOutput(keepBytes: number, noteBytes = 0): BoundedOutput {
  const markerBytes = MARKER_ROOM_BYTES + noteBytes
  const keep = Math.max(LEAST_KEPT_BYTES + noteBytes, Math.floor(keepBytes))
  const headBytes = Math.floor((keep - markerBytes) / 2)
  const tailBytes = keep - headBytes
  const head = Buffer.allocUnsafe(headBytes)
  const ring = Buffer.allocUnsafe(tailBytes + 2 * READ_BYTES)
  let at = 0
  /** The end of the bytes from the previous lap of the ring. */
  let lapEnd = 0
  let total = 0

  const lastOf = (bytes: number): Buffer =>
    bytes <= at
      ? ring.subarray(at - bytes, at)
      : Buffer.concat([ring.subarray(lapEnd - (bytes - at), lapEnd), ring.subarray(0, at)])

  return {
    room: () => {
      if (ring.length - at < READ_BYTES) {
        lapEnd = at
        at = 0
      }
      return ring.subarray(at, at + READ_BYTES)
    },
    take: (bytes) => {
      const fresh = ring.subarray(at, at + bytes)
      if (total < headBytes) fresh.copy(head, total)
      at += bytes
      total += bytes
      return fresh
    },
    totalBytes: () => total,
    isCut: () => total > keep,
    finish: (whereTheRestIs = '') => {
      const first = head.subarray(0, Math.min(total, headBytes))
      const asBinary = (bytes: Uint8Array): Pick<BoundedText, 'binary'> =>
        isText(bytes) ? {} : { binary: { bytes: Buffer.from(bytes), totalBytes: total } }
      if (total <= keep) {
        const all = Buffer.concat([first, lastOf(total - first.length)])
        return { text: decode(all), leftOutBytes: 0, ...asBinary(all) }
      }
      const start = first.subarray(0, wholeLines(first) ?? wholeCharacters(first))
      const end = lastOf(tailBytes - markerBytes)
      const rest = end.subarray(cutLine(end) ?? cutCharacter(end))
      const leftOutBytes = total - start.length - rest.length
      return {
        text: `${decode(start)}\n... [${leftOutBytes} bytes left out${whereTheRestIs}] ...\n${decode(rest)}`,
        leftOutBytes,
        ...asBinary(start),
      }
    },
  }
}

const decoder = new TextDecoder('utf-8', { ignoreBOM: true })

/** Bytes that are not UTF-8 become replacement characters. */
function decode(bytes: Uint8Array): string {
  return decoder.decode(bytes)
}

const REPLACEMENT = '\uFFFD'
/** One stray byte in this many is text in another encoding; more are not text. */
const STRAY_BYTES = 10

/** Whether bytes are text: no NUL, and almost all of it UTF-8. */
function isText(bytes: Uint8Array): boolean {
  if (bytes.includes(0)) return false
  if (isUtf8(bytes)) return true
  return (decode(bytes).split(REPLACEMENT).length - 1) * STRAY_BYTES <= bytes.length
}

const NEWLINE = 0x0a
/** A cut line is dropped if it is no longer than this, and no longer than a quarter of the part that it belongs to. */
const CUT_LINE_BYTES = 4_096

const mostCut = (bytes: Uint8Array): number => Math.min(CUT_LINE_BYTES, Math.floor(bytes.length / 4))

/**
 * How many of these bytes are whole lines, or null if the last line is too long to drop. Half a line at the cut may be
 * half a secret, which redaction would not recognise.
 */
function wholeLines(bytes: Uint8Array): number | null {
  const end = bytes.lastIndexOf(NEWLINE) + 1
  return end > 0 && bytes.length - end <= mostCut(bytes) ? end : null
}

/** Where the first whole line begins, or null if that is too far. */
function cutLine(bytes: Uint8Array): number | null {
  const end = bytes.indexOf(NEWLINE) + 1
  return end > 0 && end <= mostCut(bytes) ? end : null
}

const isContinuation = (byte: number): boolean => (byte & 0xc0) === 0x80

/** How many of these bytes are whole characters, if a character at the end was cut. */
function wholeCharacters(bytes: Uint8Array): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const byte = bytes[bytes.length - back] ?? 0
    if (isContinuation(byte)) continue
    const needed = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1
    return needed > back ? bytes.length - back : bytes.length
  }
  return bytes.length
}

/** How many bytes at the start belong to a character whose beginning is missing. */
function cutCharacter(bytes: Uint8Array): number {
  let cut = 0
  while (cut < 3 && cut < bytes.length && isContinuation(bytes[cut] ?? 0)) cut++
  return cut
}
