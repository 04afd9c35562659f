import type { InterruptedBatch, RecoveryChoice } from '../../../pipeline/recover.ts'
import { fit, plain, plainLine, wrap } from '../draw/canvas.ts'
import type { Canvas } from '../draw/canvas.ts'

/** What a key means on the sheet about an interruption; null means nothing. */
export function readRecoveryKey(key: string): RecoveryChoice | null {
  if (key === 'r') return 'resume'
  return key === 'd' ? 'discard' : null
}

const STATUS = {
  never_started: 'never began',
  finished: 'finished',
  in_doubt: 'in doubt',
} as const

/** Draws what an interruption left, by evidence, and the two ways on. */
export function drawRecovery(
  batches: readonly InterruptedBatch[],
  canvas: Canvas,
  height: number,
): readonly string[] {
  const { paint, columns } = canvas
  const rows = batches.flatMap(({ calls }) =>
    calls.flatMap(({ name, status, evidence }) => {
      const colour = status === 'finished' ? 'green' : status === 'in_doubt' ? 'yellow' : 'dim'
      const head = `  ${paint(colour, STATUS[status].padEnd(12))} ${paint('bold', plain(name))}`
      return [head, ...wrap(plainLine(evidence), columns, '               ')]
    }),
  )
  const head = [
    paint('inverse', ' Something was interrupted here '),
    ...wrap('Nothing is run again. This is what the evidence says about each call:', columns, ' '),
  ]
  const foot = [
    ...wrap('r resume: keep what finished, the rest gets a result that says so', columns, ' '),
    ...wrap('d discard: mark all of it failed', columns, ' '),
    ...wrap('Esc leaves it for now; nothing can be run before one of the two is chosen', columns, ' '),
  ]
  const room = Math.max(2, height - head.length - foot.length)
  const shown =
    rows.length > room
      ? [...rows.slice(0, room - 1), `  … ${rows.length - room + 1} more rows: tongs recover`]
      : rows
  return [...head, ...shown, ...foot].map((row) => fit(row, columns))
}
