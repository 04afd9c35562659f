import { Buffer } from 'node:buffer'
import { SNIFF_BYTES } from '../../config/fixed-values.ts'
import { failure } from '../../core/error.ts'
import type { OpenedFile } from '../../core/powers.ts'

/** The encoding that bytes probably have, by the name that decoders know it by, and why. */
export interface GuessedEncoding {
  readonly name: string
  /** As a sentence about the file. */
  readonly says: string
}

/** How far into a text its own statement about its encoding is looked for. */
const STATED_BYTES = 1_024
const STATED = [
  /<(?:meta\b[^>]{0,500}?\bcharset|\?xml\b[^>]{0,200}?\bencoding)\s*=\s*["']?\s*([\w.:-]{1,40})/i,
  /^(?:.*\n)?[ \t\f]*(?:#|;|\/\/|\/\*).*?coding[:=][ \t]*([\w.-]{1,40})/,
  /^@charset "([\w.:-]{1,40})"/,
]
/** Text in which less than this part is ASCII is not guessed at. */
const LEAST_ASCII = 0.6
const FALLBACK = 'windows-1252'
const ODD_CONTROLS = /[\0-\x08\x0b\x0e-\x1a\x1c-\x1f\x7f\ufffd]/

/** The name that decoders know an encoding by; null if they know none. */
export function encodingNamed(label: string): string | null {
  try {
    return new TextDecoder(label).encoding
  } catch {
    return null
  }
}

/** Guesses the encoding of bytes that are not UTF-8; null if they do not look like text. */
export function guessEncoding(bytes: Uint8Array): GuessedEncoding | null {
  const start = bytes.subarray(0, SNIFF_BYTES)
  const marked = findMark(start)
  if (marked !== null)
    return isTextIn(marked, start) ? { name: marked, says: `its byte order mark says ${marked}` } : null
  const wide = findWide(start)
  if (wide !== null) return { name: wide, says: `it looks like ${wide} without a byte order mark` }
  if (!isTextIn(FALLBACK, start)) return null
  const stated = findStated(start)
  if (stated !== null) return { name: stated, says: `it says that it is ${stated}` }
  const ascii = start.reduce((sum, byte) => sum + (byte < 0x80 ? 1 : 0), 0)
  return ascii < start.length * LEAST_ASCII
    ? null
    : { name: FALLBACK, says: `it looks like text in an older encoding, most often ${FALLBACK}` }
}

function findMark(bytes: Uint8Array): string | null {
  const [one, two] = bytes
  if (one === 0xfe && two === 0xff) return 'utf-16be'
  return one === 0xff && two === 0xfe ? 'utf-16le' : null
}

/** Two bytes for each character: in Western text one of them is 0. */
function findWide(bytes: Uint8Array): string | null {
  if (bytes.length < 4 || !bytes.includes(0)) return null
  return (
    ['utf-16le', 'utf-16be'].find((name, side) => {
      const high = bytes.filter((_, at) => at % 2 !== side)
      return high.filter((byte) => byte === 0).length > high.length * LEAST_ASCII && isTextIn(name, bytes)
    }) ?? null
  )
}

/** What a text says about its encoding. One whose letters could be read this way is not in two bytes each. */
function findStated(bytes: Uint8Array): string | null {
  const start = Buffer.from(bytes.subarray(0, STATED_BYTES)).toString('latin1')
  for (const pattern of STATED) {
    const name = encodingNamed(pattern.exec(start)?.[1] ?? '')
    if (name !== null && !name.startsWith('utf-')) return name
  }
  return null
}

function isTextIn(name: string, bytes: Uint8Array): boolean {
  return !ODD_CONTROLS.test(new TextDecoder(name).decode(bytes.subarray(0, bytes.length & ~1)))
}

/** What a reader of base64 is told about a file that is text all the same. */
export function noteGuess({ name, says }: GuessedEncoding): string {
  return `${says}; read_file with {"encoding": "${name}"} shows the text`
}

/** A file that was decoded on request, as UTF-8. */
export interface DecodedFile {
  readonly file: OpenedFile
  readonly bytes: Uint8Array
  readonly note: string
}

/** Decodes a whole file. Its lines are not those that edits would find, so only all of it counts as read. */
export function decodeFile(
  file: OpenedFile,
  bytes: Uint8Array,
  name: string,
  shownPath: string,
): DecodedFile {
  try {
    const text = new TextDecoder(name, { fatal: true }).decode(bytes)
    return {
      file: { ...file, saw: (range) => file.saw(range === null ? null : { start_line: 1, end_line: 0 }) },
      bytes: Buffer.from(text),
      note: `decoded from ${name}; edits write UTF-8 only, so change this file with a command`,
    }
  } catch {
    const message = `${shownPath} is not ${name}: some of its bytes stand for nothing there. Try another encoding, or leave it out to get base64.`
    throw failure('bad_args', message, { argument: 'encoding', encoding: name })
  }
}
