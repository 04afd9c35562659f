import { toJsonLine } from '../../core/text/escape-json.ts'
import { sanitise } from '../../core/text/sanitise.ts'
import { colourise } from '../../terminal/colour.ts'
import type { Colour } from '../../terminal/colour.ts'

/** Everything a command prints goes through here, so nothing reaches the terminal unsanitised. */
export interface Terminal {
  /** Results, on stdout. */
  readonly say: (text: string) => void
  /** Troubles and asides, on stderr. */
  readonly complain: (text: string) => void
  /** What is said in passing, on stderr and without a line end of its own. */
  readonly mention: (text: string) => void
  readonly json: (value: unknown) => void
  readonly colour: (name: Colour, text: string) => string
  readonly columns: number
  readonly isInteractive: boolean
}

/** The process's own terminal, or pipe. */
export function openTerminal(): Terminal {
  const isInteractive = process.stdout.isTTY === true
  const hasColour = isInteractive && (process.env['NO_COLOR'] ?? '') === '' && process.env['TERM'] !== 'dumb'
  return {
    say: (text) => void process.stdout.write(`${text}\n`),
    complain: (text) => void process.stderr.write(`${text}\n`),
    mention: (text) => void process.stderr.write(text),
    json: (value) => void process.stdout.write(`${toJsonLine(value)}\n`),
    colour: (name, text) => colourise(name, text, hasColour),
    columns: process.stdout.columns ?? 80,
    isInteractive,
  }
}

/** Text from outside, made safe to show. */
export function safe(text: string): string {
  return sanitise(text)
}
