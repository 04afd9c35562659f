import { sanitise } from '../../core/text/display/sanitise.ts'
import { toJsonLine } from '../../core/text/escape-json.ts'
import { elideMiddle } from '../../core/text/truncate.ts'

/** A file of words for a model: its front matter, and the text below it. */
export type FrontMatter =
  | ({ readonly ok: true; readonly text: string } & Header)
  | { readonly ok: false; readonly why: string }

/** What a front matter says. */
interface Header {
  readonly values: ReadonlyMap<string, HeaderValue>
  /** The first line that has no meaning, or a second one for the same key, and why; null if there is none. */
  readonly fault: string | null
}

/** A value of the front matter. */
export interface HeaderValue {
  /** On one line, without quotes. */
  readonly text: string
  /** Whether the file has it on several lines. */
  readonly isLong: boolean
}

const MARK = '---'
const SHOWN_CHARS = 200

/** Reads a file of words: an optional front matter, then a text in which nothing is hidden from a person. */
export function readFrontMatter(bytes: Uint8Array): FrontMatter {
  const whole = decode(bytes)
  if (whole === null) return { ok: false, why: 'it is not UTF-8 text' }
  const lines = whole.replaceAll('\r\n', '\n').split('\n')
  const hasHeader = lines[0]?.trimEnd() === MARK
  const end = hasHeader ? lines.findIndex((line, at) => at > 0 && line.trimEnd() === MARK) : -1
  if (hasHeader && end === -1)
    return { ok: false, why: `its front matter does not end; a line with ${MARK} is missing` }
  const text = lines
    .slice(end + 1)
    .join('\n')
    .trim()
  if (text === '') return { ok: false, why: 'it has no text' }
  // A person who reads the file before trusting it has to see all of what a model will read.
  if (sanitise(text) !== text)
    return { ok: false, why: 'its text has characters that a screen does not show' }
  return { ok: true, ...readHeader(lines.slice(1, Math.max(end, 1))), text }
}

function decode(bytes: Uint8Array): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return null
  }
}

/** The start of a YAML value that goes on in the next lines. */
const BLOCK = /^[|>][-+\d]*$/

/** Reads the keys at the beginning of lines; a value may go on in lines that are indented, however many. */
function readHeader(lines: readonly string[]): Header {
  const values = new Map<string, { parts: string[]; isLong: boolean }>()
  let fault: string | null = null
  let last: string | null = null
  for (const line of lines) {
    const [, key, value = ''] = /^([\w-]+):(?:\s+([^]*))?$/.exec(line.trimEnd()) ?? []
    if (key !== undefined) {
      if (values.has(key)) fault ??= `its front matter has ${key} twice`
      const first = value.trim()
      values.set(key, { parts: BLOCK.test(first) ? [] : [first], isLong: BLOCK.test(first) })
      last = key
    } else if (last !== null && /^\s+\S/.test(line)) {
      const open = values.get(last)
      open?.parts.push(line.trim())
      if (open !== undefined) open.isLong = true
    } else if (line.trim() !== '') {
      last = null
      if (!line.startsWith('#'))
        fault ??= `its front matter has a line that cannot be read, ${toJsonLine(elideMiddle(line, SHOWN_CHARS))}; write "key: value"`
    }
  }
  const texts = [...values].map(([key, { parts, isLong }]): [string, HeaderValue] => [
    key,
    { text: unquote(parts.join(' ').trim()), isLong },
  ])
  return { values: new Map(texts), fault }
}

function unquote(value: string): string {
  const [, , inside] = /^(["'])(.*)\1$/.exec(value) ?? []
  return inside ?? value
}
