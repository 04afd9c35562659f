import type { LogReader } from '../../journal/log.ts'
import { readParts, textOf } from '../context/message-parts.ts'

/** The most that is read of one session for a search. */
const MOST_MESSAGES = 400
const MOST_CHARS = 400_000

/** What was said in a session, newest first, as one text to be searched. */
export function readWords({ newestFirst, payload }: Pick<LogReader, 'newestFirst' | 'payload'>): string {
  const words: string[] = []
  let length = 0
  for (const { entry } of newestFirst('said')) {
    if (entry.kind !== 'said' || entry.role === 'tool') continue
    const bytes = payload(entry.message)
    if (bytes === null) continue
    const text = entry.role === 'user' ? new TextDecoder().decode(bytes) : textOf(readParts(bytes) ?? [])
    words.push(text)
    length += text.length
    if (words.length === MOST_MESSAGES || length > MOST_CHARS) break
  }
  return words.join('\n')
}
