import { isUnreadable } from './looks.ts'
import type { Span } from './span.ts'

const BEGIN = /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----|PuTTY-User-Key-File-\d:/g
const END = /-----END |\nPrivate-MAC:/g
const KEY_TEXT = /[A-Za-z0-9+/=\s\\:,-]*/y
const KEY_LINE = /[A-Za-z0-9+/=]{16,}/g
const MAX_KEY_CHARS = 65_536
const KIND = 'private key'

/**
 * The text between the BEGIN and END lines of a private key; without an END line, as far as it looks like a key. With
 * `keepCommands` only the key's own lines, so that neither a command nor a path can hide between the two.
 */
export const findPrivateKeys = (text: string, keepCommands: boolean): readonly Span[] => {
  const spans: Span[] = []
  let end = -1
  BEGIN.lastIndex = 0
  for (let match = BEGIN.exec(text); match !== null; match = BEGIN.exec(text)) {
    const start = match.index + match[0].length
    // Search again only after passing the last one: many BEGIN lines without an END must not each scan the rest.
    if (end < start) end = findEnd(text, start)
    KEY_TEXT.lastIndex = start
    KEY_TEXT.test(text)
    const stop = end - start <= MAX_KEY_CHARS ? end : KEY_TEXT.lastIndex
    const lines = [...text.slice(start, stop).matchAll(KEY_LINE)].map(({ index, 0: line }) => ({
      start: start + index,
      end: start + index + line.length,
      kind: KIND,
    }))
    const hidden = lines.filter((line) => isUnreadable(text.slice(line.start, line.end)))
    if (lines.length > 0) spans.push(...(keepCommands ? hidden : [{ start, end: stop, kind: KIND }]))
    BEGIN.lastIndex = stop
  }
  return spans
}

const findEnd = (text: string, from: number): number => {
  END.lastIndex = from
  return END.exec(text)?.index ?? Number.POSITIVE_INFINITY
}
