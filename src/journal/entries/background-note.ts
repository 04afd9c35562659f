import type { BackgroundEnd } from '../../core/shell/background.ts'
import { isJsonObject } from '../../core/json/value.ts'
import type { Digest, Entry, NoteEntry } from './entry.ts'

/** What notes are about that record a command in the background. */
export const BACKGROUND = 'background'

/** What such a note says. */
export type BackgroundNote =
  /** Where its words are, as far as they were not erased. */
  | { readonly is: 'started'; readonly execution: string; readonly words: Digest }
  | {
      readonly is: 'ended'
      readonly execution: string
      readonly end: Pick<BackgroundEnd, 'how' | 'exitCode' | 'signal'>
      readonly durationMs: number | null
    }

/** Records that a command goes on when its call has ended; its words are a content of its own, which can be erased. */
export function backgroundStarted(execution: string, words: Digest): Entry {
  return { kind: 'note', about: BACKGROUND, execution, data: { event: 'started', text: words } }
}

/** Records how it ended. */
export function backgroundEnded(
  execution: string,
  { how, exitCode, signal }: Pick<BackgroundEnd, 'how' | 'exitCode' | 'signal'>,
  durationMs: number | null,
): Entry {
  const data = { event: 'ended', how, exit_code: exitCode, signal, duration_ms: durationMs }
  return { kind: 'note', about: BACKGROUND, execution, data }
}

const HOW: ReadonlySet<string> = new Set(['exited', 'stopped', 'closed', 'timed_out', 'failed', 'lost'])

/** Reads such a note; null if it is about something else. */
export function readBackgroundNote({ about, execution, data }: NoteEntry): BackgroundNote | null {
  if (about !== BACKGROUND || execution === null || !isJsonObject(data)) return null
  if (data['event'] === 'started')
    return { is: 'started', execution, words: typeof data['text'] === 'string' ? data['text'] : '' }
  const { how, exit_code: code, signal, duration_ms: duration } = data
  return {
    is: 'ended',
    execution,
    end: {
      how: HOW.has(String(how)) ? (how as BackgroundEnd['how']) : 'lost',
      exitCode: typeof code === 'number' ? code : null,
      signal: typeof signal === 'string' ? signal : null,
    },
    durationMs: typeof duration === 'number' ? duration : null,
  }
}
