import { ERRORS } from '../src/core/error.ts'
import type { ErrorCode, ErrorFacts } from '../src/core/error.ts'
import { NEXT, STATE_MEANING } from '../src/core/lifecycle.ts'
import type { State } from '../src/core/lifecycle.ts'

const STATES = Object.keys(NEXT) as readonly State[]
const CODES = Object.keys(ERRORS) as readonly ErrorCode[]

/** The page about a call's way and its endings, from the two tables that the code itself obeys. */
export function renderLifecyclePage(): string {
  return (
    [
      '# The life of a call',
      'This page is printed from `src/core/lifecycle.ts` and `src/core/error.ts`; change it there and run `npm run docs`.',
      'Every call begins as `DECLARED` and makes only the transitions shown here; an illegal one does not compile. A state without a next one is final; `ABORTED` is final too for a call whose process cannot be taken back. Each call ends exactly once.',
      ['```mermaid', 'stateDiagram-v2', '    [*] --> DECLARED', ...STATES.flatMap(arrows), '```'].join('\n'),
      table(['State', 'Means', 'Next'], STATES.map(stateRow)),
      '## How calls fail',
      'In a program, switch on `code`. `kind`, `type` and `class` say the same in older vocabularies and never add to it. If a cell has two words, the second is for a call that had started a process, or, for `class`, one that was running.',
      'The state depends on how far the call got: before it ran, while it ran, or with a process that may have left traces outside the workspace. `approval_required` and `held` do not end a call: it waits.',
      table(
        ['Code', 'Kind', 'Type', 'Class', 'Before', 'While running', 'With a process', 'Exit'],
        CODES.map(errorRow),
      ),
      'Some codes have a `details.reason`:',
      table(['Code', 'Reason'], CODES.flatMap(reasonRow)),
      'The exit code of `tongs call` and `tongs batch` is the first of 130, 4, 1 and 3 that any of its calls ends with, otherwise 0. Bad usage and bad configuration are always 2.',
    ].join('\n\n') + '\n'
  )
}

function arrows(from: State): readonly string[] {
  return NEXT[from].length === 0 ? [`    ${from} --> [*]`] : NEXT[from].map((to) => `    ${from} --> ${to}`)
}

function stateRow(state: State): readonly string[] {
  return [
    code(state),
    STATE_MEANING[state],
    NEXT[state].length === 0 ? 'the end' : NEXT[state].map(code).join(', '),
  ]
}

function errorRow(name: ErrorCode): readonly string[] {
  const facts: ErrorFacts = ERRORS[name]
  const {
    kind,
    type,
    processType = type,
    class: usual,
    runningClass = usual,
    before,
    running,
    process = running,
    exit,
  } = facts
  return [
    code(name),
    kind ?? 'none',
    pair(type, processType),
    pair(usual, runningClass),
    before,
    running,
    process,
    String(exit),
  ]
}

function reasonRow(name: ErrorCode): readonly (readonly string[])[] {
  const { reason }: ErrorFacts = ERRORS[name]
  return reason === undefined ? [] : [[code(name), reason]]
}

function pair(first: string, second: string): string {
  return first === second ? first : `${first} / ${second}`
}

function code(text: string): string {
  return `\`${text}\``
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n')
}
