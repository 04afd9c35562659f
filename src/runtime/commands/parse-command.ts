import { parsePrompt, shorten } from '../prompt-files/parse-prompt.ts'

/** What the file of a command says. */
export type ParsedCommand =
  | {
      readonly ok: true
      readonly description: string
      readonly argumentHint: string
      readonly text: string
    }
  | { readonly ok: false; readonly why: string }

const HINT = 'argument-hint'

/** Reads the file of a command: an optional front matter, then the prompt. Nothing in it changes what it may do. */
export function parseCommand(bytes: Uint8Array): ParsedCommand {
  const parsed = parsePrompt(bytes, [HINT])
  if (!parsed.ok) return parsed
  const { description, values, text } = parsed
  return { ok: true, description, argumentHint: shorten(values.get(HINT) ?? ''), text }
}
