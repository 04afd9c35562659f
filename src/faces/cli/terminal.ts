import { toJsonLine } from '../../core/text/escape-json.ts'
import { sanitise } from '../../core/text/sanitise.ts'
import { colourise } from '../../terminal/colour.ts'
import type { Colour } from '../../terminal/colour.ts'
import { openOutput } from './output.ts'

const USUAL_COLUMNS = 80

/** Everything a command prints goes through here, so nothing reaches the terminal unsanitised. */
export interface Terminal {
  /** Results, on stdout. */
  readonly say: (text: string) => void
  /** Troubles and asides, on stderr. */
  readonly complain: (text: string) => void
  readonly json: (value: unknown) => void
  readonly colour: (name: Colour, text: string) => string
  readonly columns: number
  readonly isInteractive: boolean
}

/** The process's own terminal, or pipe. */
export function openTerminal(isStreamAsleep = false): Terminal {
  const { isTerminal: isInteractive, columns = USUAL_COLUMNS, write } = openOutput(isStreamAsleep)
  const hasColour = isInteractive && (process.env['NO_COLOR'] ?? '') === '' && process.env['TERM'] !== 'dumb'
  return {
    say: (text) => write(`${text}\n`),
    complain: (text) => void process.stderr.write(`${text}\n`),
    json: (value) => write(`${toJsonLine(value)}\n`),
    colour: (name, text) => colourise(name, text, hasColour),
    columns,
    isInteractive,
  }
}

/** Text from outside, made safe to show. */
export function safe(text: string): string {
  return sanitise(text)
}
