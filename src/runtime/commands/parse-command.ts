import { OWN_COMMAND_LIMITS } from '../../config/fixed-values.ts'
import { sanitise } from '../../core/text/display/sanitise.ts'
import { ellipsis } from '../../core/text/truncate.ts'

/** What the file of a command says. */
export type ParsedCommand =
  | {
      readonly ok: true
      readonly description: string
      readonly argumentHint: string
      readonly text: string
    }
  | { readonly ok: false; readonly why: string }

const MARK = '---'

/** Reads the file of a command: an optional front matter, then the prompt. */
export function parseCommand(bytes: Uint8Array): ParsedCommand {
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
  const values = readHeader(lines.slice(1, Math.max(end, 1)))
  if ([...values.values()].some((value) => BLOCK.test(value)))
    return { ok: false, why: 'a value of its front matter is not on one line' }
  return {
    ok: true,
    description: shorten(values.get('description') ?? '') || shorten(firstLine(text)),
    argumentHint: shorten(values.get('argument-hint') ?? ''),
    text,
  }
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
const SHOWN_KEYS: ReadonlySet<string> = new Set(['description', 'argument-hint'])

/** The values that are shown. Other keys are ignored: nothing in a file changes what its prompt may do. */
function readHeader(lines: readonly string[]): ReadonlyMap<string, string> {
  return new Map(
    lines.flatMap((line) => {
      const [, key = '', value = ''] = /^([\w-]+):(?:\s+(.*))?$/.exec(line.trimEnd()) ?? []
      return SHOWN_KEYS.has(key) ? [[key, unquote(value.trim())] as const] : []
    }),
  )
}

function unquote(value: string): string {
  const [, , inside] = /^(["'])(.*)\1$/.exec(value) ?? []
  return inside ?? value
}

function firstLine(text: string): string {
  return (text.split('\n', 1)[0] ?? '').replace(/^#+\s*/, '')
}

/** One safe line that fits into a list. */
function shorten(text: string): string {
  return ellipsis(sanitise(text, { oneLine: true }).trim(), OWN_COMMAND_LIMITS.shownChars)
}
