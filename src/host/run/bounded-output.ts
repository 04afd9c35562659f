/** The most that one read brings. */
const READ_BYTES = 65_536
/** Below this a line about what was left out would not fit. */
const LEAST_KEPT_BYTES = 256
const MARKER_ROOM_BYTES = 64

/** Text within its bound, and how many bytes of the whole it does not show. */
export interface BoundedText {
  readonly text: string
  readonly leftOutBytes: number
}

/** Keeps the beginning and the end of a stream in memory of a fixed size. */
export interface BoundedOutput {
  /** Where the next bytes are to be read to. */
  readonly room: () => Uint8Array
  /** Takes the first bytes of that room in, and gives them back to be looked at until the next read. */
  readonly take: (bytes: number) => Uint8Array
  readonly totalBytes: () => number
  /** Whether something of it is not kept. */
  readonly isCut: () => boolean
  /** What was kept, with words about where the rest is. */
  readonly finish: (whereTheRestIs?: string) => BoundedText
}

/**
 * Bytes are read straight into a ring that is longer than the end to be kept by two reads, so that nothing is copied but
 * the beginning, once. The line about what was left out has room for words of `noteBytes` about where that is.
 */
export function createBoundedOutput(keepBytes: number, noteBytes = 0): BoundedOutput {
  const markerBytes = MARKER_ROOM_BYTES + noteBytes
  const keep = Math.max(LEAST_KEPT_BYTES + noteBytes, Math.floor(keepBytes))
  const headBytes = Math.floor((keep - markerBytes) / 2)
  const tailBytes = keep - headBytes
  const head = Buffer.allocUnsafe(headBytes)
  const ring = Buffer.allocUnsafe(tailBytes + 2 * READ_BYTES)
  let at = 0
  /** Where the bytes of the lap before this one end. */
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
      if (total <= keep)
        return { text: decode(Buffer.concat([first, lastOf(total - first.length)])), leftOutBytes: 0 }
      const start = first.subarray(0, wholeLines(first) ?? wholeCharacters(first))
      const end = lastOf(tailBytes - markerBytes)
      const rest = end.subarray(cutLine(end) ?? cutCharacter(end))
      const leftOutBytes = total - start.length - rest.length
      return {
        text: `${decode(start)}\n... [${leftOutBytes} bytes left out${whereTheRestIs}] ...\n${decode(rest)}`,
        leftOutBytes,
      }
    },
  }
}

const decoder = new TextDecoder('utf-8', { ignoreBOM: true })

/** What is no UTF-8 becomes replacement characters. */
function decode(bytes: Uint8Array): string {
  return decoder.decode(bytes)
}

const NEWLINE = 0x0a
/** A line that was cut is left out where that costs no more than this, and never more than a quarter of what is kept. */
const CUT_LINE_BYTES = 4_096

const mostCut = (bytes: Uint8Array): number => Math.min(CUT_LINE_BYTES, Math.floor(bytes.length / 4))

/**
 * How many of these bytes are whole lines, or null where the last line is too long to be left out. Half a line at the
 * cut may be half a secret, which nobody would know for one.
 */
function wholeLines(bytes: Uint8Array): number | null {
  const end = bytes.lastIndexOf(NEWLINE) + 1
  return end > 0 && bytes.length - end <= mostCut(bytes) ? end : null
}

/** Where the first whole line begins, or null where that is too far. */
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
