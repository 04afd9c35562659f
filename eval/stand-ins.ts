import type { Answer } from './server/chat.ts'

/** Exchanges what differs from run to run for words that stand for it in recorded answers. */
export interface StandIns {
  /** Learns from a request what the answers to it can name. */
  readonly see: (body: string) => void
  /** An answer of a recording, for this run. */
  readonly toReal: (answer: Answer) => Answer
  /** An answer of this run, for a recording. */
  readonly toRecorded: (answer: Answer) => Answer
}

/** Where a run takes place. */
export interface RunPlaces {
  readonly root: string
  readonly home: string
  /** The address of the pages of the task; null if it has none. */
  readonly web: string | null
}

/** The handle of a command in the background, as a request names it. */
const HANDLE = /\bhandle\W{1,8}(01[0-9a-z]{24})\b/g

/** The stand-ins of a run: its folder, its home, the address of its pages, and handles by the order in which they came. */
export function createStandIns({ root, home, web }: RunPlaces): StandIns {
  const handles: string[] = []
  const pairs = (): readonly (readonly [real: string, word: string])[] => [
    [root, '{root}'],
    [home, '{home}'],
    ...(web === null ? [] : [[web, '{web}'] as const]),
    ...handles.map((handle, at) => [handle, `{handle ${at + 1}}`] as const),
  ]
  return {
    see: (body) => {
      for (const [, handle = ''] of body.matchAll(HANDLE)) if (!handles.includes(handle)) handles.push(handle)
    },
    toReal: (answer) =>
      exchange(answer, (text) => pairs().reduce((so, [real, word]) => so.replaceAll(word, real), text)),
    toRecorded: (answer) =>
      exchange(answer, (text) => pairs().reduce((so, [real, word]) => so.replaceAll(real, word), text)),
  }
}

function exchange({ text, calls }: Answer, one: (text: string) => string): Answer {
  return { text: one(text), calls: calls.map((call) => ({ ...call, args: one(call.args) })) }
}
