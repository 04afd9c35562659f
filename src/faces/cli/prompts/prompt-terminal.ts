import { closeSync, openSync, writeSync } from 'node:fs'
import { ReadStream, WriteStream } from 'node:tty'
import { USUAL_COLUMNS } from '../../../config/fixed-values.ts'
import type { Surface } from '../../../terminal/approval-screen.ts'
import { inAscii, isAsciiOnly } from '../../../terminal/ascii.ts'
import { createOwnPaint, finishText } from '../../../terminal/own-styles.ts'
import { wantsColour } from '../../../terminal/paint.ts'
import { readTypedLine } from './typed-line.ts'
import type { Typed } from './typed-line.ts'

/** The controlling terminal, for questions; stdin and stdout may be anything. */
export interface PromptTerminal extends Surface {
  /** Sanitizes the text, all but the styles of `paint`. */
  readonly write: (text: string) => void
  /** Shows a question and returns what is typed after it. */
  readonly ask: (question: string, signal: AbortSignal) => Promise<Typed>
  /** The same, and shows nothing of it. */
  readonly askUnseen: (question: string, signal: AbortSignal) => Promise<Typed>
  readonly close: () => void
}

/** Some keys are much longer than anything a person types. */
const MOST_SECRET_CHARS = 8_192

/** Whether there is a terminal to ask on. */
export function hasTerminal(): boolean {
  try {
    closeSync(openSync('/dev/tty', 'r+'))
    return true
  } catch {
    return false
  }
}

/** Opens the controlling terminal; null if there is none. */
export function openPromptTerminal(): PromptTerminal | null {
  let output: number
  let input: ReadStream
  try {
    output = openSync('/dev/tty', 'w')
    input = new ReadStream(openSync('/dev/tty', 'r'))
  } catch {
    return null
  }
  /** Also moves the cursor. */
  const writeKeys = (text: string): void => {
    try {
      writeSync(output, text)
    } catch {
      // The terminal is gone; reading the answer will notice it.
    }
  }
  const columns = measureColumns()
  const isAscii = isAsciiOnly(process.env)
  const finish = (text: string): string => finishText(text, isAscii)
  const write = (text: string): void => writeKeys(isAscii ? inAscii(text) : text)
  const reading = { input, write, columns, show: finish }
  return {
    columns,
    isAscii,
    paint: createOwnPaint(wantsColour(process.env)),
    write: (text) => writeKeys(finish(text)),
    ask: (question, signal) => readTypedLine({ ...reading, question: finish(question), signal }),
    askUnseen: (question, signal) =>
      readTypedLine({
        ...reading,
        question: finish(question),
        signal,
        show: () => '',
        mostChars: MOST_SECRET_CHARS,
      }),
    close() {
      input.destroy()
      closeSync(output)
    },
  }
}

/** The width of this terminal; stdout may be a pipe or another terminal. */
function measureColumns(): number {
  try {
    const probe = new WriteStream(openSync('/dev/tty', 'w'))
    const { columns } = probe
    probe.destroy()
    return columns > 0 ? columns : USUAL_COLUMNS
  } catch {
    return USUAL_COLUMNS
  }
}
