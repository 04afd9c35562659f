import { REDACTED } from './redacted.ts'

const BEGIN = /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/g
const END = '-----END '
const KEY_TEXT = /[A-Za-z0-9+/=\s\\:,-]*/y
const KEY_LINE = /[A-Za-z0-9+/=]{16,}/g
const MAX_KEY_CHARS = 65_536

/**
 * Hides what stands between the lines that frame a private key; without a closing line, as far as it looks like one.
 * With `keepCommands` only the lines of the key itself go, so that nothing else can hide in the frame.
 */
export const redactPrivateKeys = (text: string, keepCommands: boolean): string => {
  let out = ''
  let done = 0
  let end = -1
  BEGIN.lastIndex = 0
  for (let match = BEGIN.exec(text); match !== null; match = BEGIN.exec(text)) {
    const start = match.index + match[0].length
    // Looked for anew only when it has been passed: many beginnings without an end must not each search the rest.
    if (end < start) end = text.indexOf(END, start)
    if (end === -1) end = Number.POSITIVE_INFINITY
    KEY_TEXT.lastIndex = start
    KEY_TEXT.test(text)
    const stop = end - start <= MAX_KEY_CHARS ? end : KEY_TEXT.lastIndex
    const body = text.slice(start, stop)
    const hidden = body.replace(KEY_LINE, REDACTED)
    if (hidden !== body) {
      out += text.slice(done, start) + (keepCommands ? hidden : REDACTED)
      done = stop
    }
    BEGIN.lastIndex = stop
  }
  return out + text.slice(done)
}
