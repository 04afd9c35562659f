import type {
  ApprovalAnswer,
  ApprovalAnswers,
  ApprovalRequest,
  Asking,
  AskingEnd,
  Approver,
} from '../../../core/approval.ts'
import { drawRequest, isAboutResults, widthOf } from '../../../terminal/approval-screen.ts'
import { askInTurn } from '../../../terminal/ask-in-turn.ts'
import { breakWords, layChoices } from '../../../terminal/fit-rows.ts'
import { drawScopes, readGrantAnswer } from '../../../terminal/grant-choices.ts'
import { choosableHunks, readHunkList } from '../../../terminal/hunk-choice.ts'
import { openPromptTerminal, hasTerminal } from './prompt-terminal.ts'
import type { PromptTerminal } from './prompt-terminal.ts'
import { agreeOnce } from '../../../core/approval.ts'
import type { ParsedLine } from '../arguments.ts'

const ENDS: Readonly<Record<AskingEnd, string>> = {
  silence: 'No answer in time, so the call is denied.',
  elsewhere: 'Answered elsewhere.',
  cancelled: 'Cancelled.',
}

const TAKEN_OUT = 'No answer in time, so the secrets are taken out.'

/**
 * Asks about a batch on the controlling terminal until the answer is valid; without a terminal, the answer is later. There
 * is one such terminal, so batches are asked about one after the other.
 */
export const askOnTerminal = askInTurn(askNow, () => performance.now())

async function askNow(requests: readonly ApprovalRequest[], asking: Asking): Promise<ApprovalAnswers> {
  const terminal = openPromptTerminal()
  if (terminal === null) return 'later'
  try {
    const answers = await askTogether({ requests, first: 1, count: requests.length }, asking, terminal)
    return answers === 'each' ? await askEach(requests, asking, terminal) : answers
  } finally {
    terminal.close()
  }
}

/** Asks about each call separately; postponing one postpones all. */
async function askEach(
  requests: readonly ApprovalRequest[],
  asking: Asking,
  terminal: PromptTerminal,
): Promise<ApprovalAnswers> {
  const all: ApprovalAnswer[] = []
  for (const [index, request] of requests.entries()) {
    const answers = await askTogether(
      { requests: [request], first: index + 1, count: requests.length },
      asking,
      terminal,
    )
    if (answers === 'later' || answers === 'each') return 'later'
    all.push(...answers)
  }
  return all
}

/** Questions asked with one prompt, with their position among all questions. */
interface AskedTogether {
  readonly requests: readonly ApprovalRequest[]
  readonly first: number
  readonly count: number
}

async function askTogether(
  { requests, first, count }: AskedTogether,
  asking: Asking,
  terminal: PromptTerminal,
): Promise<ApprovalAnswers | 'each'> {
  const draw = (isWhole: boolean): boolean => {
    const drawings = requests.map((request, index) =>
      drawRequest(request, { number: first + index, count, isWhole }, terminal),
    )
    for (const { text } of drawings) terminal.write(text)
    return drawings.some(({ isCut }) => isCut)
  }
  const [only] = requests.length === 1 ? requests : []
  const scopes = only === undefined ? [] : drawScopes(only, asking.grantSeconds, terminal)
  let isCut = draw(false)
  for (;;) {
    const rows = [...layChoices(choicesFor(requests, isCut), terminal.columns), ...scopes]
    const typed = await terminal.ask(`\n${rows.join('\n')}\n> `, asking.signal)
    if (typed.is === 'stopped') {
      const end = asking.signal.reason as AskingEnd
      terminal.write(`${end === 'silence' && isAboutResults(requests) ? TAKEN_OUT : ENDS[end]}\n`)
      return 'later'
    }
    if (typed.is === 'closed') return 'later'
    const grant = only === undefined ? null : readGrantAnswer(typed.text, only, asking.grantSeconds)
    if (grant !== null) return [grant]
    const list = only === undefined || choosableHunks(only) === 0 ? undefined : HUNKS.exec(typed.text)?.[1]
    if (only !== undefined && list !== undefined) {
      const read = readHunkList(list, only)
      if (read.ok) return [read.answer]
      terminal.write(`${breakWords(read.why, widthOf(terminal)).join('\n')}\n`)
      continue
    }
    const answers = readAnswers(typed.text, requests.length)
    if (answers === 'show') isCut = draw(true)
    else if (answers === null) terminal.write('That is not one of the choices.\n')
    else return answers
  }
}

/** A list of hunks behind its letter. */
const HUNKS = /^\s*h(?:unks?)?\s+(.+)$/is

/** The choices for questions, each with its meaning. */
export function choicesFor(requests: readonly ApprovalRequest[], isCut: boolean): readonly string[] {
  const count = requests.length
  const show = isCut ? ['s = show what was left out'] : []
  if (isAboutResults(requests))
    return count === 1
      ? ['y = yes, unchanged', 'n = no, remove the secrets', ...show]
      : ['a = all, unchanged', '1 2 = only these', 'n = none, remove the secrets', ...show]
  const [only] = count === 1 ? requests : []
  const some = only === undefined || choosableHunks(only) === 0 ? [] : ['h 1 3-5 = only these hunks']
  if (only?.kind === 'landing')
    return [
      'y = land it',
      ...some,
      'n = no, discard it',
      'n WORDS = discard it, and tell the model why',
      'l = later',
      ...show,
    ]
  return [
    ...(count === 1 ? ['y = yes, once'] : ['a = all, once', '1 2 = only these, once']),
    ...some,
    ...(count === 1
      ? ['n = no', 'n WORDS = no, and tell the model why']
      : [
          'n = none',
          'n WORDS = none, and tell the model why',
          '1 2 WORDS = only these, and why not the others',
          'e = each by itself, with more choices',
        ]),
    'l = later',
    ...show,
  ]
}

/**
 * The answers in a typed line; null if it is not valid. Numbers choose among several questions: at one alone they may mean its
 * hunks, so they are not an answer to all of it.
 */
export function readAnswers(line: string, count: number): ApprovalAnswers | 'show' | 'each' | null {
  const text = line.trim()
  const all = (answer: ApprovalAnswer): readonly ApprovalAnswer[] =>
    Array.from({ length: count }, () => answer)
  if (/^(?:l|later)$/i.test(text)) return 'later'
  if (/^(?:s|show)$/i.test(text)) return 'show'
  if (/^(?:e|each)$/i.test(text)) return count === 1 ? null : 'each'
  // A plain yes to several questions might be meant for only one.
  if (/^(?:y|yes)$/i.test(text)) return count === 1 ? all('once') : null
  if (/^(?:a|all)$/i.test(text)) return count === 1 ? null : all('once')
  const no = /^(?:n|no|none)(?:\s+(.+))?$/is.exec(text)
  if (no !== null) return all(denial(no[1]))
  const some = count === 1 ? null : /^(\d{1,6}(?:[\s,]+\d{1,6})*)(?:[\s,]+([^\s\d,].*))?$/s.exec(text)
  if (some === null) return null
  const chosen = new Set((some[1] ?? '').split(/[\s,]+/).map(Number))
  if ([...chosen].some((number) => number < 1 || number > count)) return null
  return Array.from({ length: count }, (_, index) => (chosen.has(index + 1) ? 'once' : denial(some[2])))
}

function denial(words: string | undefined): ApprovalAnswer {
  return words === undefined ? 'deny' : { answer: 'deny', say: words }
}

/** The approver of a command line: --yes approves everything once, else a person at the terminal is asked, else calls wait. */
export function approverFor(line: ParsedLine): Approver {
  if (line.has('--yes')) return agreeOnce
  return line.has('--no-input') || !hasTerminal() ? () => 'later' : askOnTerminal
}
