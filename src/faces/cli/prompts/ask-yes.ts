import { openPromptTerminal } from './prompt-terminal.ts'

/** Asks a yes-or-no question on the controlling terminal; no terminal and no answer in time mean no. */
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
