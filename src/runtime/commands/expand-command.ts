import { PROMPT_FILE_LIMITS } from '../../config/fixed-values.ts'
import type { OwnCommand, OwnCommands } from './own-command.ts'

/** The prompt of a command with its placeholders filled in. */
export type ExpandedCommand =
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false; readonly why: string }

const PLACEHOLDER = /\$(?:(\$)|(ARGUMENTS)(?!\w)|([1-9])(?!\d))/g
/** A quote at the beginning of a word joins what is in it. */
const WORD = /"([^"]*)"|'([^']*)'|\S+/g

/**
 * Fills in `$ARGUMENTS`, `$1` to `$9` and `$$`, once: what is filled in is not looked at again. Words that the text has no
 * place for follow it.
 */
export function expandCommand(
  { name, text }: Pick<OwnCommand, 'name' | 'text'>,
  given: string,
): ExpandedCommand {
  const all = given.trim()
  const words = [...all.matchAll(WORD)].map(([whole, double, single]) => double ?? single ?? whole)
  const parts: string[] = []
  let length = 0
  let at = 0
  let isPlaced = false
  const add = (part: string): void => {
    // Placeholders multiply what is given, so the length is checked before they are put together.
    length += part.length
    parts.push(part)
  }
  for (const match of text.matchAll(PLACEHOLDER)) {
    const [whole, dollar, everything, number] = match
    add(text.slice(at, match.index))
    add(dollar ?? (everything === undefined ? (words[Number(number) - 1] ?? '') : all))
    isPlaced ||= dollar === undefined
    at = match.index + whole.length
    if (length > PROMPT_FILE_LIMITS.promptChars) break
  }
  add(text.slice(at))
  if (!isPlaced && all !== '') add(`\n\n${all}`)
  if (length <= PROMPT_FILE_LIMITS.promptChars) return { ok: true, text: parts.join('') }
  return {
    ok: false,
    why: `/${name} with these words is longer than ${PROMPT_FILE_LIMITS.promptChars} characters`,
  }
}

/** What a typed line means: a prompt, a command that cannot be used, or nothing of these. */
export type ExpandedLine =
  | { readonly is: 'prompt'; readonly text: string }
  | { readonly is: 'unusable'; readonly why: string }
  | { readonly is: 'other' }

/** Reads a line such as `/name words` as one of these commands, for every face alike. */
export function expandLine(line: string, { usable, unusable }: OwnCommands): ExpandedLine {
  const [, name, words = ''] = /^\/([^\s/]+)(?:\s+([\s\S]*))?$/.exec(line) ?? []
  if (name === undefined) return { is: 'other' }
  const command = usable.find((one) => one.name === name)
  if (command !== undefined) {
    const expanded = expandCommand(command, words)
    return expanded.ok ? { is: 'prompt', text: expanded.text } : { is: 'unusable', why: expanded.why }
  }
  const broken = unusable.find((one) => one.name === name)
  return broken === undefined
    ? { is: 'other' }
    : { is: 'unusable', why: `${broken.path} is not a command: ${broken.why}` }
}
