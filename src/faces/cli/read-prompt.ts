import type { ParsedLine } from './arguments.ts'
import { readStdin } from './stdin.ts'
import { UsageError } from './trouble.ts'

/** What `run` is asked to do; null goes on without words. */
export function readPrompt(line: ParsedLine): string | null {
  const [word] = line.words
  if (word === undefined && line.has('--continue')) return null
  const prompt = word === '-' ? readStdin('the prompt').replace(/\r?\n$/, '') : (word ?? '')
  if (prompt.trim() === '')
    throw new UsageError(
      'run needs a prompt',
      'say what is to be done, - to read it from stdin, or --continue',
    )
  return prompt
}
