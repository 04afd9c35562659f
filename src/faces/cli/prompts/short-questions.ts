import { openPromptTerminal } from './prompt-terminal.ts'
import type { Recovery } from '../../../agent/conversation.ts'
import type { ParsedLine } from '../arguments.ts'
import { safeWords } from '../terminal.ts'

/** Asks a yes-or-no question on the controlling terminal; no terminal or no answer in time means no. */
export async function askYes(question: string, seconds: number): Promise<boolean> {
  const terminal = openPromptTerminal()
  if (terminal === null) return false
  try {
    const typed = await terminal.ask(`${question} [y/N] `, AbortSignal.timeout(seconds * 1000))
    return typed.is === 'line' && /^y(es)?$/i.test(typed.text.trim())
  } finally {
    terminal.close()
  }
}

/** Asks what to do with an interrupted turn; null without a terminal or an answer. */
export async function askHowToRecover(
  { text, calls, edits }: Recovery,
  line: ParsedLine,
): Promise<'resume' | 'discard' | null> {
  const terminal = line.has('--no-input') ? null : openPromptTerminal()
  if (terminal === null) return null
  try {
    terminal.write('An earlier turn of this session was interrupted. Nothing is run again.\n')
    if (text !== null && text !== '') terminal.write(`  said so far: ${safeWords(text.slice(-200))}\n`)
    if (edits !== null) terminal.write(`  ${safeWords(edits.says)}\n`)
    for (const { status, name, id, evidence } of calls)
      terminal.write(`  ${safeWords(`${status.padEnd(13)} ${name} (${id}): ${evidence}`)}\n`)
    const typed = await terminal.ask(
      edits === null || edits.inPlace.length === 0
        ? '[r]esume with what there is, or [d]iscard its results? '
        : '[r]esume and let the model finish, or [d]iscard and take the edits back? ',
      new AbortController().signal,
    )
    if (typed.is !== 'line') return null
    const word = typed.text.trim().toLowerCase()
    if (/^r(esume)?$/.test(word)) return 'resume'
    return /^d(iscard)?$/.test(word) ? 'discard' : null
  } finally {
    terminal.close()
  }
}
