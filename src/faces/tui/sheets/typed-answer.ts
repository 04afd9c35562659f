import { trimEndOf } from '../../../core/text/trim-end.ts'

/** What a typed line asks for: the same as a key, a no with words, or a yes to a list of hunks. */
export type TypedAnswer =
  | { readonly is: 'key'; readonly key: string }
  | { readonly is: 'no'; readonly say: string }
  | { readonly is: 'hunks'; readonly list: string }

/** Words for keys; behind them, further words may say the opposite. */
const KEYS: ReadonlyMap<string, string> = new Map([
  ...['o', 'once', 'y', 'yes'].map((word) => [word, 'o'] as const),
  ...['d', 'deny', 'no'].map((word) => [word, 'd'] as const),
  ...['a', 'all'].map((word) => [word, 'a'] as const),
  ...['n', 'none'].map((word) => [word, 'n'] as const),
  ...['l', 'later'].map((word) => [word, 'l'] as const),
  ...['s', 'h', 't', 'g', 'w'].map((word) => [word, word] as const),
])
const NO = /^(?:d|deny|n|no)(?:\s|\s*[,:;.]\s*)(.+)$/is
const HUNKS = /^[sh]\s+(.+)$/is

/** Reads a line that Enter ended as one answer, never letter by letter; null if it is none. */
export function readTypedAnswer(line: string): TypedAnswer | null {
  const text = line.trim()
  const key = KEYS.get(trimEndOf(text.toLowerCase(), '.!'))
  if (key !== undefined) return { is: 'key', key }
  const say = NO.exec(text)?.[1]
  if (say !== undefined) return { is: 'no', say: say.trim() }
  const list = HUNKS.exec(text)?.[1]
  return list === undefined ? null : { is: 'hunks', list }
}
