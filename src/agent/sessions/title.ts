import { redactSecrets } from '../../core/text/secrets/redact.ts'
import type { StoredEntry } from '../../journal/entries/entry.ts'
import type { SessionReader } from '../../journal/log.ts'

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
export function readTitle(log: Pick<SessionReader, 'newestFirst' | 'said' | 'payload'>): string | null {
  for (const { entry } of log.newestFirst('titled')) {
    const bytes = entry.kind === 'titled' ? log.payload(entry.title) : null
    if (bytes !== null) return formatTitle(utf8.decode(bytes))
  }
  return readPrompt(log.said(), log)
}

/** The first prompt among the entries, as a title; null if there is none, or if it was erased. */
export function readPrompt(
  entries: Iterable<Pick<StoredEntry, 'entry'>>,
  { payload }: Pick<SessionReader, 'payload'>,
): string | null {
  for (const { entry } of entries) {
    if (entry.kind !== 'said' || entry.role !== 'user') continue
    const bytes = payload(entry.message)
    const prompt = bytes === null ? '' : utf8.decode(bytes)
    return prompt.trim() === '' ? null : formatTitle(prompt)
  }
  return null
}
