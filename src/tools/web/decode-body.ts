import { isUtf8 } from 'node:buffer'
import { SNIFF_BYTES } from '../../config/fixed-values.ts'

/** What an answer is: a page, other text, or something that is not text. */
export type DecodedBody =
  | { readonly is: 'page' | 'text' | 'json'; readonly text: string; readonly charset: string }
  | { readonly is: 'other' }

const TEXT_TYPE =
  /^(?:text\/|application\/(?:(?:[\w.-]+\+)?(?:json|xml|yaml)|x-yaml|toml|javascript|x-javascript|ecmascript|x-sh|x-ndjson|jsonl|graphql|sql|rtf|x-httpd-php|x-tex)$|image\/svg\+xml$|message\/)/
const JSON_TYPE = /[/+](?:json|manifest\+json)$/
const PAGE_TYPES: ReadonlySet<string> = new Set(['text/html', 'application/xhtml+xml'])
/** Servers send these where they know nothing; then the content tells. */
const UNKNOWN_TYPES: ReadonlySet<string> = new Set(['', 'application/octet-stream', 'binary/octet-stream'])
const PAGE_START = /^\s*(?:<!--[^]{0,500}?-->\s*)?<(?:!doctype html|html|head|body)\b/i
/** How far into a page its own statement about its charset is looked for. */
const META_BYTES = 4096
const META = /<(?:meta\b[^>]{0,500}?\bcharset|\?xml\b[^>]{0,200}?\bencoding)\s*=\s*["']?\s*([\w.:-]{1,40})/i
const FALLBACK = 'windows-1252'

/** The media type without its parameters, in small letters; empty if there is none that makes sense. */
export function mediaTypeOf(header: string): string {
  return /^\s*([\w!#$&^.+-]{1,60}\/[\w!#$&^.+-]{1,60})\s*(?:;|$)/.exec(header)?.[1]?.toLowerCase() ?? ''
}

/** Decodes an answer by its type and charset, or finds that it is not text. */
export function decodeBody(bytes: Uint8Array, header: string, isCut: boolean): DecodedBody {
  const type = mediaTypeOf(header)
  const isUnknown = UNKNOWN_TYPES.has(type)
  if (!isUnknown && !TEXT_TYPE.test(type) && !PAGE_TYPES.has(type)) return { is: 'other' }
  if (isUnknown && !looksLikeText(bytes, isCut)) return { is: 'other' }
  const charset = findCharset(bytes, header, isCut)
  const text = decode(bytes, charset)
  if (text.slice(0, SNIFF_BYTES).includes('\0')) return { is: 'other' }
  if (PAGE_TYPES.has(type) || (isUnknown && PAGE_START.test(text))) return { is: 'page', text, charset }
  return { is: JSON_TYPE.test(type) ? 'json' : 'text', text, charset }
}

function looksLikeText(bytes: Uint8Array, isCut: boolean): boolean {
  return findMark(bytes) !== null || (!bytes.subarray(0, SNIFF_BYTES).includes(0) && isText(bytes, isCut))
}

/** A byte order mark counts most, then what the server says, then what the text says about itself. */
function findCharset(bytes: Uint8Array, header: string, isCut: boolean): string {
  const said = /;\s*charset\s*=\s*"?([\w.:-]{1,40})/i.exec(header)?.[1]
  const start = new TextDecoder('latin1').decode(bytes.subarray(0, META_BYTES))
  const own = META.exec(start)?.[1]
  // A page whose letters could be read this far is not in two bytes each, whatever it says.
  const stated = own !== undefined && /^utf-?16/i.test(own) ? 'utf-8' : own
  const known = [findMark(bytes), said, stated].flatMap((label) => normalize(label) ?? [])
  return known[0] ?? (isText(bytes, isCut) ? 'utf-8' : FALLBACK)
}

function findMark(bytes: Uint8Array): string | null {
  const [one, two, three] = bytes
  if (one === 0xef && two === 0xbb && three === 0xbf) return 'utf-8'
  if (one === 0xfe && two === 0xff) return 'utf-16be'
  return one === 0xff && two === 0xfe ? 'utf-16le' : null
}

/** The name that decoders know a charset by; null if they know none. */
function normalize(label: string | null | undefined): string | null {
  if (label === null || label === undefined) return null
  try {
    return new TextDecoder(label).encoding
  } catch {
    return null
  }
}

/** Whether bytes are UTF-8; the last character may be cut. */
function isText(bytes: Uint8Array, isCut: boolean): boolean {
  if (isUtf8(bytes)) return true
  return isCut && [1, 2, 3].some((less) => isUtf8(bytes.subarray(0, -less)))
}

function decode(bytes: Uint8Array, charset: string): string {
  return new TextDecoder(charset).decode(bytes)
}
