import { toJsonLine } from '../../core/text/escape-json.ts'
import { sanitise } from '../../core/text/sanitise.ts'

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

/** The few colours in use. */
export type Colour = 'red' | 'green' | 'yellow' | 'dim' | 'bold'

const CODES: Readonly<Record<Colour, string>> = { red: '31', green: '32', yellow: '33', dim: '2', bold: '1' }

/** The process's own terminal, or pipe. */
export function openTerminal(): Terminal {
  const isInteractive = process.stdout.isTTY === true
  const hasColour = isInteractive && (process.env['NO_COLOR'] ?? '') === '' && process.env['TERM'] !== 'dumb'
  return {
    say: (text) => void process.stdout.write(`${text}\n`),
    complain: (text) => void process.stderr.write(`${text}\n`),
    json: (value) => void process.stdout.write(`${toJsonLine(value)}\n`),
    colour: (name, text) => colourise(name, text, hasColour),
    columns: process.stdout.columns ?? 80,
    isInteractive,
  }
}

/** Colours a text where colour is wanted. */
export function colourise(name: Colour, text: string, hasColour: boolean): string {
  return hasColour ? `\u001b[${CODES[name]}m${text}\u001b[0m` : text
}

/** Text from outside, made safe to show. */
export function safe(text: string): string {
  return sanitise(text)
}
