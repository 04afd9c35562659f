import type { Recovery } from '../../../agent/conversation.ts'
import { showPath } from '../../../core/text/display/show-path.ts'
import { barRows } from '../../../terminal/approval-screen.ts'
import { oneLine } from '../../../terminal/one-line.ts'
import { plainLine, wrap } from '../draw/canvas.ts'
import type { Canvas } from '../draw/canvas.ts'

/** The end of what the model said is enough to recognise it by. */
export const SAID_CHARS = 300
/** All of it, as it is. */
export const WHOLE = { most: Infinity, paint: (row: string): string => row }

/** The status of an interrupted call, in words. */
export const STATUS_WORDS = {
  received: 'never began',
  never_started: 'never began',
  finished: 'finished',
  in_doubt: 'in doubt',
  discarded: 'taken back',
} as const

/** What an interruption left, with the evidence; the words of the model stand behind a bar. */
export function layRecovery({ text, calls, edits }: Recovery, canvas: Canvas): readonly string[] {
  const { paint, columns } = canvas
  return [
    ...wrap(' Something was interrupted here ', columns).map((row) => paint('inverse', row)),
    ...(edits === null ? [] : wrap(plainLine(edits.says), columns, ' ')),
    ...wrap('Nothing is run again. This is what the evidence says about each call:', columns, ' '),
    ...(text === null
      ? []
      : [' The model had said:', ...barRows(oneLine(text.slice(-SAID_CHARS)), WHOLE, canvas).rows]),
    ...calls.flatMap(({ name, status, evidence }) => {
      const colour = status === 'finished' ? 'green' : status === 'in_doubt' ? 'yellow' : 'dim'
      return [
        `  ${paint(colour, STATUS_WORDS[status].padEnd(12))} ${paint('bold', showPath(name))}`,
        ...wrap(plainLine(evidence), columns, EVIDENCE_MARGIN),
      ]
    }),
  ]
}

const EVIDENCE_MARGIN = ' '.repeat(15)

/** What the keys mean. */
export function layRecoveryKeys({ edits }: Recovery, { columns }: Canvas): readonly string[] {
  const takesBack = edits !== null && edits.inPlace.length > 0 ? 'take back the edits in place, and ' : ''
  return [
    'r resume: keep what finished, the rest gets a result that says so',
    `d discard: ${takesBack}mark all of it as failed`,
    'Esc leaves it for now; nothing runs until you choose one of the two',
  ].flatMap((row) => wrap(row, columns, ' '))
}
