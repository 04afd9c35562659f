import { USUAL_COLUMNS } from '../../config/fixed-values.ts'
import { toJsonLine } from '../../core/text/escape-json.ts'
import { sanitise } from '../../core/text/display/sanitise.ts'
import { createPaint, wantsColour } from '../../terminal/paint.ts'
import type { Paint } from '../../terminal/paint.ts'
import { openOutput } from './output.ts'

/** Everything a command prints goes through here, so nothing reaches the terminal unsanitised. */
export interface Terminal {
  /** Results, on stdout. */
  readonly say: (text: string) => void
  /** Troubles and asides, on stderr. */
  readonly complain: (text: string) => void
  /** What is said in passing, on stderr and without a line end of its own. */
  readonly mention: (text: string) => void
  readonly json: (value: unknown) => void
  readonly paint: Paint
  readonly columns: number
  readonly isInteractive: boolean
}

/** The process's own terminal, or pipe. */
export function openTerminal(isStreamAsleep = false): Terminal {
  const { isTerminal: isInteractive, columns = USUAL_COLUMNS, write } = openOutput(isStreamAsleep)
  return {
    say: (text) => write(`${text}\n`),
    complain: (text) => void process.stderr.write(`${text}\n`),
    mention: (text) => void process.stderr.write(text),
    json: (value) => write(`${toJsonLine(value)}\n`),
    paint: createPaint(isInteractive && wantsColour(process.env)),
    columns,
    isInteractive,
  }
}

/** Text from outside, made safe to show. */
export function safe(text: string): string {
  return sanitise(text)
}
