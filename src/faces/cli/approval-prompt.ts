import type { ApprovalAnswer, ApprovalRequest } from '../../core/approval.ts'
import { redactForApproval } from '../../core/text/redact.ts'
import { sanitise } from '../../core/text/sanitise.ts'
import { elideMiddle } from '../../core/text/truncate.ts'
import { openPromptTerminal } from './prompt-terminal.ts'
import type { PromptTerminal } from './prompt-terminal.ts'

const DIFF_ROWS = 40
const ANSWER_SECONDS = 300

const RISK_WORDS = {
  Low: 'low risk: it only reads',
  Medium: 'medium risk: it changes files',
  High: 'HIGH RISK: it may do what cannot be taken back',
} as const

const RISK_COLOURS = { Low: 'green', Medium: 'yellow', High: 'red' } as const

/** Asks about a batch on the controlling terminal. No answer in time, or an answer that makes no sense thrice, is a denial. */
export async function askOnTerminal(
  requests: readonly ApprovalRequest[],
  signal: AbortSignal,
): Promise<readonly ApprovalAnswer[] | 'later'> {
  const terminal = openPromptTerminal()
  if (terminal === null) return 'later'
  try {
    for (const [index, request] of requests.entries())
      terminal.write(renderRequest(request, index + 1, requests.length, terminal))
    const choices =
      requests.length === 1 ? 'y = yes, once   n = no' : 'a = all, once   n = none   1 3 = only these'
    for (let tries = 0; tries < 3; tries++) {
      const line = await terminal.ask(
        `\n${choices}   n WORDS = no, and tell the model why\n> `,
        ANSWER_SECONDS,
        signal,
      )
      if (line === null) return requests.map(() => 'deny')
      const answers = readAnswers(line, requests.length)
      if (answers !== null) return answers
      terminal.write('That is none of the choices.\n')
    }
    return requests.map(() => 'deny')
  } finally {
    terminal.close()
  }
}

/** What a typed line says about each question; null where it says nothing. */
export function readAnswers(line: string, count: number): readonly ApprovalAnswer[] | null {
  const text = line.trim()
  const all = (answer: ApprovalAnswer): readonly ApprovalAnswer[] =>
    Array.from({ length: count }, () => answer)
  if (/^(y|yes)$/i.test(text)) return count === 1 ? all('once') : null
  if (/^(a|all)$/i.test(text)) return all('once')
  if (/^(n|no|none)$/i.test(text)) return all('deny')
  const words = /^n(?:o|one)?\s+(.+)$/i.exec(text)
  if (words?.[1] !== undefined) return all({ answer: 'deny', say: words[1] })
  if (!/^\d+([\s,]+\d+)*$/.test(text)) return null
  const chosen = new Set(text.split(/[\s,]+/).map(Number))
  if ([...chosen].some((number) => number < 1 || number > count)) return null
  return Array.from({ length: count }, (_, index) => (chosen.has(index + 1) ? 'once' : 'deny'))
}

/** One question as text that cannot fool: control characters made visible, secrets out, long things cut in the middle. */
export function renderRequest(
  request: ApprovalRequest,
  number: number,
  count: number,
  terminal: Pick<PromptTerminal, 'colour' | 'columns'>,
): string {
  const { columns } = terminal
  const fit = (text: string): string =>
    elideMiddle(sanitise(redactForApproval(text), { oneLine: true }), Math.max(20, columns - 2))
  const title = count === 1 ? 'May this run?' : `Question ${number} of ${count}`
  const rows = [
    '',
    terminal.colour('bold', title),
    `  tool     ${fit(request.call.name)}`,
    `  summary  ${elideMiddle(fit(request.summary), Math.max(20, columns - 11))}`,
    `  risk     ${terminal.colour(RISK_COLOURS[request.risk], RISK_WORDS[request.risk])}`,
    ...argumentRows(request, fit),
    ...diffRows(request.diff, fit, terminal),
  ]
  return `${rows.join('\n')}\n`
}

function argumentRows({ call, diff }: ApprovalRequest, fit: (text: string) => string): readonly string[] {
  // A diff says more than the arguments it comes from.
  if (diff !== null && diff !== '') return []
  return Object.entries(call.args).map(([key, value]) => fit(`  ${key} = ${JSON.stringify(value)}`))
}

function diffRows(
  diff: string | null,
  fit: (text: string) => string,
  terminal: Pick<PromptTerminal, 'colour'>,
): readonly string[] {
  if (diff === null || diff === '') return []
  const rows = diff.trimEnd().split('\n')
  const shown = rows.slice(0, DIFF_ROWS).map((row) => {
    const text = `  ${fit(row)}`
    if (row.startsWith('+')) return terminal.colour('green', text)
    return row.startsWith('-') ? terminal.colour('red', text) : text
  })
  return rows.length > DIFF_ROWS
    ? [...shown, `  … and ${rows.length - DIFF_ROWS} more lines; see them all with --dry-run`]
    : shown
}
