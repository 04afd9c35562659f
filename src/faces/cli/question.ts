import { openPromptTerminal } from './prompt-terminal.ts'

const ANSWER_SECONDS = 300

/** Asks a yes-or-no question on the controlling terminal; no terminal and no answer mean no. */
export async function askYes(question: string): Promise<boolean> {
  const terminal = openPromptTerminal()
  if (terminal === null) return false
  try {
    const line = await terminal.ask(`${question} [y/N] `, ANSWER_SECONDS)
    return /^y(es)?$/i.test(line?.trim() ?? '')
  } finally {
    terminal.close()
  }
}
