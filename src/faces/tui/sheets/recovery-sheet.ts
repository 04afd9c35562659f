import type { Recovery } from '../../../agent/conversation.ts'
import type { RecoveryChoice } from '../../../pipeline/after/recover.ts'
import { fit, plainLine, wrap } from '../draw/canvas.ts'
import type { Canvas } from '../draw/canvas.ts'
import { ONE_MOMENT } from './sheet.ts'

/** The choice of a key; null if it has no meaning. */
export function readRecoveryKey(key: string): RecoveryChoice | null {
  if (key === 'r') return 'resume'
  return key === 'd' ? 'discard' : null
}

/** The end of what the model said is enough to recognise it by. */
export const SAID_CHARS = 300

/** The status of an interrupted call, in words. */
export const STATUS_WORDS = {
  received: 'never began',
  never_started: 'never began',
  finished: 'finished',
  in_doubt: 'in doubt',
  discarded: 'taken back',
} as const

/** Draws what an interruption left, with the evidence and the two choices. */
export function drawRecovery(
  { text, calls, edits }: Recovery,
  canvas: Canvas,
  height: number,
  acceptsKeys: boolean,
): readonly string[] {
  const { paint, columns } = canvas
  const rows = calls.flatMap(({ name, status, evidence }) => {
    const colour = status === 'finished' ? 'green' : status === 'in_doubt' ? 'yellow' : 'dim'
    const head = `  ${paint(colour, STATUS_WORDS[status].padEnd(12))} ${paint('bold', plainLine(name))}`
    return [head, ...wrap(plainLine(evidence), columns, '               ')]
  })
  if (text !== null)
    rows.unshift(
      ...wrap(`The model had said: ${plainLine(text.slice(-SAID_CHARS))}`, columns, '  ').slice(0, 3),
    )
  const head = [
    paint('inverse', ' Something was interrupted here '),
    ...(edits === null ? [] : wrap(plainLine(edits.says), columns, ' ')),
    ...wrap('Nothing is run again. This is what the evidence says about each call:', columns, ' '),
  ]
  const foot = !acceptsKeys
    ? [paint('dim', ONE_MOMENT)]
    : [
        ...wrap('r resume: keep what finished, the rest gets a result that says so', columns, ' '),
        ...wrap(
          edits === null || edits.inPlace.length === 0
            ? 'd discard: mark all of it as failed'
            : 'd discard: take back the edits in place, and mark all of it as failed',
          columns,
          ' ',
        ),
        ...wrap('Esc leaves it for now; nothing runs until you choose one of the two', columns, ' '),
      ]
  const room = Math.max(2, height - head.length - foot.length)
  const shown =
    rows.length > room
      ? [...rows.slice(0, room - 1), `  … ${rows.length - room + 1} more rows: tongs recover`]
      : rows
  return [...head, ...shown, ...foot].map((row) => fit(row, columns))
}
