import type { Risk } from '../core/tool.ts'

/** Programs that only look, so far as their name tells; anything else may do what cannot be taken back. */
const LOOKING: ReadonlySet<string> = new Set([
  'ls',
  'cat',
  'pwd',
  'echo',
  'true',
  'false',
  'wc',
  'head',
  'tail',
  'date',
  'uname',
  'whoami',
  'which',
])

/** How bad it would be to be wrong about a command, by its words; what is not known to be harmless is not called so. */
export function assessWords(words: readonly string[]): Risk {
  return LOOKING.has(words[0] ?? '') ? 'Medium' : 'High'
}
