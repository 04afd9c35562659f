import { sanitise } from '../core/text/display/sanitise.ts'

const BELL = '\u0007'
const END = '\u001b\\'

/** Goes back to the start of the row, and clears it. */
export const CLEAR_ROW = '\r\u001b[K'

/** What the clipboard of most terminals takes. */
export const COPY_BYTES = 74_994

/** Puts text into the clipboard of the terminal, also over ssh; null if it is too long. Control characters are spelled out. */
export function copySequence(text: string): string | null {
  const bytes = Buffer.from(sanitise(text), 'utf8')
  return bytes.length > COPY_BYTES ? null : `\u001b]52;c;${bytes.toString('base64')}${BELL}`
}

/** How a terminal is told that a person is wanted. */
export type TerminalNotice = 'auto' | 'bell' | 'off'

/** Tells the terminal that a person is wanted; the console of Linux would print a message into the screen. */
export function noticeSequence(
  sentence: string,
  notice: TerminalNotice,
  env: Readonly<Record<string, string | undefined>>,
): string {
  if (notice === 'off') return ''
  const hasMessages = notice === 'auto' && env['TERM'] !== 'linux'
  return `${hasMessages ? `\u001b]9;${sanitise(sentence, { oneLine: true })}${END}` : ''}${BELL}`
}
