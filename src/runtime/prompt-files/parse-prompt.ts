import { PROMPT_FILE_LIMITS } from '../../config/fixed-values.ts'
import { sanitise } from '../../core/text/display/sanitise.ts'
import { ellipsis } from '../../core/text/truncate.ts'
import { readFrontMatter } from './front-matter.ts'

/** What a file with a prompt says. */
export type ParsedPrompt =
  | {
      readonly ok: true
      /** One safe line: what its front matter says, or the first line of the text. */
      readonly description: string
      /** The other values of its front matter that were asked for. */
      readonly values: ReadonlyMap<string, string>
      readonly text: string
    }
  | { readonly ok: false; readonly why: string }

const DESCRIPTION = 'description'

/**
 * Reads a file: an optional front matter, then the prompt. Of the front matter only the description and these keys are
 * read; nothing else in it has a meaning. Where such a key limits something, a file in which a person could take another
 * line for it is refused.
 */
export function parsePrompt(bytes: Uint8Array, keys: readonly string[], doKeysLimit = false): ParsedPrompt {
  const parsed = readFrontMatter(bytes)
  if (!parsed.ok) return parsed
  const { text, fault } = parsed
  const alike = [...parsed.values.keys()].find(
    (key) => !keys.includes(key) && keys.includes(key.toLowerCase()),
  )
  if (doKeysLimit && fault !== null) return { ok: false, why: fault }
  if (doKeysLimit && alike !== undefined)
    return { ok: false, why: `its front matter has ${alike}; write ${alike.toLowerCase()}` }
  const values = [DESCRIPTION, ...keys].flatMap((key) => {
    const value = parsed.values.get(key)
    return value === undefined ? [] : [[key, value] as const]
  })
  if (values.some(([, { isLong }]) => isLong))
    return { ok: false, why: 'a value of its front matter is not on one line' }
  const found = new Map(values.map(([key, value]) => [key, value.text]))
  const description = shorten(found.get(DESCRIPTION) ?? '') || shorten(firstLine(text))
  return { ok: true, description, values: found, text }
}

function firstLine(text: string): string {
  return (text.split('\n', 1)[0] ?? '').replace(/^#+\s*/, '')
}

/** One safe line that fits into a list. */
export function shorten(text: string): string {
  return ellipsis(sanitise(text, { oneLine: true }).trim(), PROMPT_FILE_LIMITS.shownChars)
}
