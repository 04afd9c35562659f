import { redactSecrets } from '../../core/text/secrets/redact.ts'
import type { LogReader } from '../../journal/log.ts'

/** The longest title, in characters. */
const TITLE_CHARS = 72

const utf8 = new TextDecoder()

/** A text as a title: one line, without secrets, cut to fit. */
export function formatTitle(text: string): string {
  // Redacted first: a cut could leave a part of a secret that is no longer recognized.
  const line = redactSecrets(text).replace(/\s+/g, ' ').trim()
  const characters = [...line]
  if (characters.length <= TITLE_CHARS) return line
  return `${characters
    .slice(0, TITLE_CHARS - 1)
    .join('')
    .trimEnd()}…`
}

/** The title of a session: the one a person gave, else its first prompt; null if there is neither. */
export function readTitle(log: Pick<LogReader, 'newestFirst' | 'entries' | 'payload'>): string | null {
  for (const { entry } of log.newestFirst('titled')) {
    const bytes = entry.kind === 'titled' ? log.payload(entry.title) : null
    if (bytes !== null) return formatTitle(utf8.decode(bytes))
  }
  const prompt = readFirstPrompt(log)
  return prompt === null || prompt.trim() === '' ? null : formatTitle(prompt)
}

/** How many entries may come before the first prompt: a model, a preset and the like. */
const MOST_BEFORE = 400

function readFirstPrompt({ entries, payload }: Pick<LogReader, 'entries' | 'payload'>): string | null {
  let looked = 0
  for (const { entry } of entries()) {
    if (entry.kind === 'said' && entry.role === 'user') {
      const bytes = payload(entry.message)
      return bytes === null ? null : utf8.decode(bytes)
    }
    if (++looked === MOST_BEFORE) return null
  }
  return null
}
