import { USUAL_COLUMNS } from '../../config/fixed-values.ts'
import { toJsonLine } from '../../core/text/escape-json.ts'
import type { EscapedJson } from '../../core/text/escape-json.ts'
import { sanitise } from '../../core/text/display/sanitise.ts'
import type { SafeText } from '../../core/text/display/sanitise.ts'
import { isAsciiOnly } from '../../terminal/ascii.ts'
import { layWords } from '../../terminal/fit-rows.ts'
import { createOwnPaint, finishText } from '../../terminal/own-styles.ts'
import { wantsColour } from '../../terminal/paint.ts'
import { CLEAR_ROW } from '../../terminal/terminal-sequences.ts'
import type { Paint } from '../../terminal/paint.ts'
import { fstatSync, writeSync } from 'node:fs'

/**
 * Everything a command prints goes through here and is sanitized here, whatever it is: only the styles of `paint` are left
 * as they are. What stands in a row of ours goes through `safeWords` before, because a line end is not taken out here.
 */
export interface Terminal {
  /** Results, on stdout. */
  readonly print: (text: string) => void
  /** A sentence for people, on stdout. On a terminal it is broken between words; `margin` is before the rows that go on. */
  readonly say: (text: string, margin?: string) => void
  /** A part of a result, on stdout, without a line end. */
  readonly write: (text: string) => void
  /** Errors and notices, on stderr; `mark`, in front, may be painted. */
  readonly warn: (text: string, mark?: string) => void
  /** A notice on stderr, without a line end. */
  readonly writeNotice: (text: string) => void
  /** Clears the row of a notice that has no line end. */
  readonly clearNotice: () => void
  readonly json: (value: unknown) => void
  readonly paint: Paint
  readonly columns: number
  readonly isInteractive: boolean
}

/** Opens the terminal or pipe of the process. */
export function openTerminal(isStdoutUnused = false): Terminal {
  const { isTerminal: isInteractive, columns = USUAL_COLUMNS, write: writeSafe } = openOutput(isStdoutUnused)
  const isAscii = isAsciiOnly(process.env)
  const write = (text: string): void => writeSafe(finishText(text, isAscii && isInteractive))
  const finishNotice = (text: string): SafeText => finishText(text, isAscii && process.stderr.isTTY)
  return {
    print: (text) => write(`${text}\n`),
    say: (text, margin) => write(`${isInteractive ? layWords(text, columns, margin) : text}\n`),
    write,
    warn(text, mark = '') {
      const { isTTY, columns: width = USUAL_COLUMNS } = process.stderr
      const words = mark + safe(text)
      writeNotice(finishNotice(`${isTTY === true ? layWords(words, width) : words}\n`))
    },
    writeNotice: (text) => writeNotice(finishNotice(text)),
    clearNotice: () => void process.stderr.write(CLEAR_ROW),
    json: (value) => writeSafe(`${toJsonLine(value)}\n` as const),
    paint: createOwnPaint(isInteractive && wantsColour(process.env)),
    columns,
    isInteractive,
  }
}

/** Sanitizes text from outside. */
export function safe(text: string): string {
  return sanitise(text)
}

/**
 * Sanitizes text from outside that is a part of a row of ours. Line ends and runs of blanks show, so that a name or a path
 * begins no row of its own.
 */
export function safeWords(text: string): string {
  return sanitise(text, { oneLine: true })
}

const STDOUT = 1

/** Text that may go out as it is. */
type Finished = SafeText | `${EscapedJson}\n`

/** Where results are written. */
export interface Output {
  readonly isTerminal: boolean
  readonly columns: number | undefined
  readonly write: (text: Finished) => void
}

/** Opens stdout. If its stream is unused, creating it would take longer than many commands do. */
export function openOutput(isStdoutUnused: boolean): Output {
  if (isStdoutUnused && !fstatSync(STDOUT).isCharacterDevice()) return openDirectly()
  const { isTTY, columns } = process.stdout
  return { isTerminal: isTTY === true, columns, write: writeToStream }
}

/** Writes to a pipe or a file without the stream, which is only used if the pipe is full or an error has to be emitted. */
function openDirectly(): Output {
  let isStreaming = false
  let isLost = false
  return {
    isTerminal: false,
    columns: undefined,
    write(text) {
      if (isLost) return
      if (isStreaming) return writeToStream(text)
      const bytes = Buffer.from(text)
      let written = 0
      try {
        while (written < bytes.length) written += writeSync(STDOUT, bytes, written)
      } catch (thrown) {
        const code = thrown instanceof Error && 'code' in thrown ? thrown.code : null
        if (code === 'EAGAIN') {
          isStreaming = true
          writeToStream(bytes.subarray(written))
          return
        }
        isLost = true
        if (code !== 'EPIPE') process.stdout.emit('error', thrown)
      }
    },
  }
}

/** Bytes are what is left of a safe text. */
function writeToStream(text: Finished | Uint8Array): void {
  process.stdout.write(text)
}

function writeNotice(text: SafeText): void {
  process.stderr.write(text)
}
