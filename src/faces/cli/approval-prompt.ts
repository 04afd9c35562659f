import type {
  ApprovalAnswer,
  ApprovalAnswers,
  ApprovalRequest,
  Asking,
  AskingEnd,
} from '../../core/approval.ts'
import { drawRequest } from '../../terminal/approval-screen.ts'
import { columnsOf } from '../../terminal/fit-rows.ts'
import { openPromptTerminal } from './prompt-terminal.ts'
import type { PromptTerminal } from './prompt-terminal.ts'

const ENDS: Readonly<Record<AskingEnd, string>> = {
  silence: 'No answer came in time, so it is denied.',
  elsewhere: 'It was answered from elsewhere.',
  cancelled: 'Cancelled.',
}

/** Asks about a batch on the controlling terminal, again and again until the answer makes sense; no terminal puts it off. */
export async function askOnTerminal(
  requests: readonly ApprovalRequest[],
  asking: Asking,
): Promise<ApprovalAnswers> {
  const terminal = openPromptTerminal()
  if (terminal === null) return 'later'
  try {
    let isCut = draw(requests, terminal, false)
    for (;;) {
      const choices = choicesFor(requests.length, isCut)
      const typed = await terminal.ask(`\n${layChoices(choices, terminal.columns)}\n> `, asking.signal)
      if (typed.is === 'stopped') {
        terminal.write(`${ENDS[asking.signal.reason as AskingEnd]}\n`)
        return 'later'
      }
      if (typed.is === 'closed') return 'later'
      const answers = readAnswers(typed.text, requests.length)
      if (answers === 'show') isCut = draw(requests, terminal, true)
      else if (answers === null) terminal.write('That is none of the choices.\n')
      else return answers
    }
  } finally {
    terminal.close()
  }
}

function draw(requests: readonly ApprovalRequest[], terminal: PromptTerminal, isWhole: boolean): boolean {
  const drawings = requests.map((request, index) =>
    drawRequest(request, index + 1, requests.length, terminal, isWhole),
  )
  for (const { text } of drawings) terminal.write(text)
  return drawings.some(({ isCut }) => isCut)
}

function choicesFor(count: number, isCut: boolean): readonly string[] {
  return [
    ...(count === 1 ? ['y = yes, once'] : ['a = all, once', '1 2 = only these, once']),
    ...(count === 1 ? ['n = no'] : ['n = none']),
    count === 1 ? 'n WORDS = no, and tell the model why' : 'n WORDS, 1 2 WORDS = tell the model why not',
    'l = later',
    ...(isCut ? ['s = show what was left out'] : []),
  ]
}

/** Puts as many choices on a row as fit. */
function layChoices(choices: readonly string[], columns: number): string {
  const rows: string[] = []
  for (const choice of choices) {
    const row = rows.at(-1)
    const joined = row === undefined ? choice : `${row}   ${choice}`
    if (row !== undefined && columnsOf(joined) < columns) rows[rows.length - 1] = joined
    else rows.push(choice)
  }
  return rows.join('\n')
}

/** What a typed line says about each question; null where it says nothing. */
export function readAnswers(line: string, count: number): ApprovalAnswers | 'show' | null {
  const text = line.trim()
  const all = (answer: ApprovalAnswer): readonly ApprovalAnswer[] =>
    Array.from({ length: count }, () => answer)
  if (/^(?:l|later)$/i.test(text)) return 'later'
  if (/^(?:s|show)$/i.test(text)) return 'show'
  // A plain yes to several questions at once might be meant for one of them.
  if (/^(?:y|yes)$/i.test(text)) return count === 1 ? all('once') : null
  if (/^(?:a|all)$/i.test(text)) return all('once')
  const no = /^(?:n|no|none)(?:\s+(.+))?$/is.exec(text)
  if (no !== null) return all(denial(no[1]))
  const some = /^(\d{1,6}(?:[\s,]+\d{1,6})*)(?:[\s,]+([^\s\d,].*))?$/s.exec(text)
  if (some === null) return null
  const chosen = new Set((some[1] ?? '').split(/[\s,]+/).map(Number))
  if ([...chosen].some((number) => number < 1 || number > count)) return null
  return Array.from({ length: count }, (_, index) => (chosen.has(index + 1) ? 'once' : denial(some[2])))
}

function denial(words: string | undefined): ApprovalAnswer {
  return words === undefined ? 'deny' : { answer: 'deny', say: words }
}
