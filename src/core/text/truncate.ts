/** Ends a text that was truncated. */
export const TRUNCATION_MARKER = '\n\n... [output truncated]'
const ELLIPSIS = '…'
const WINDOW_BYTES = 65_536

const encoder = new TextEncoder()
const window = new Uint8Array(WINDOW_BYTES)

/** The size of the text in UTF-8; a lone surrogate counts as the three bytes of its replacement. */
export const byteLength = (text: string): number => {
  let bytes = 0
  let rest = text
  while (rest.length > 0) {
    const { read, written } = encoder.encodeInto(rest, window)
    bytes += written
    rest = rest.slice(read)
  }
  return bytes
}

/** Whether a text exceeds a number of bytes in UTF-8; short texts need no counting. */
export const isLonger = (text: string, maxBytes: number): boolean => {
  if (text.length > maxBytes) return true
  return text.length * 3 > maxBytes && byteLength(text) > maxBytes
}

/**
 * Truncates text to at most `maxBytes` of UTF-8 at a character boundary; the marker counts toward the limit, and so does
 * the note before it, which is left out if there is no room.
 */
export const truncateText = (
  text: string,
  maxBytes: number,
  note = '',
): { readonly text: string; readonly truncated: boolean } => {
  if (!isLonger(text, maxBytes)) return { text, truncated: false }
  const limit = Math.max(0, Math.floor(maxBytes))
  if (limit <= TRUNCATION_MARKER.length) return { text: TRUNCATION_MARKER.slice(0, limit), truncated: true }
  const rest = byteLength(note) + TRUNCATION_MARKER.length
  const ending = rest < limit ? note + TRUNCATION_MARKER : TRUNCATION_MARKER
  const body = new Uint8Array(limit - byteLength(ending))
  const { read } = encoder.encodeInto(text, body)
  return { text: text.slice(0, read) + ending, truncated: true }
}

/** A cut inside a cluster must not leave a joiner, selector or mark that would attach to the ellipsis. */
const trimStart = (text: string): string => text.replace(/^[\uDC00-\uDFFF]?[\p{M}\u200C\u200D]*/u, '')

const head = (text: string, units: number): string => {
  const cut = text.slice(0, units)
  const end = cut.at(-1) ?? ''
  const whole = end >= '\uD800' && end <= '\uDBFF' ? cut.slice(0, -1) : cut
  return /[\u200C\u200D]$/.test(whole.slice(-1)) ? whole.slice(0, -1) : whole
}

/** Shortens text to at most `maxChars` UTF-16 units by cutting its end; the ellipsis counts. */
export const ellipsis = (text: string, maxChars: number): string => {
  if (text.length <= maxChars) return text
  return maxChars < 1 ? '' : head(text, Math.floor(maxChars) - 1) + ELLIPSIS
}

/**
 * Shortens text to at most `maxChars` UTF-16 units by cutting its middle, for text whose beginning and end both
 * matter.
 */
export const elideMiddle = (text: string, maxChars: number): string => {
  if (text.length <= maxChars) return text
  if (maxChars < 1) return ''
  const room = Math.floor(maxChars) - 1
  const tailUnits = Math.floor(room / 2)
  return head(text, room - tailUnits) + ELLIPSIS + trimStart(text.slice(text.length - tailUnits))
}
