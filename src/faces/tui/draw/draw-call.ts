import { describeFailedCommand } from '../../../core/result.ts'
import { redactForApproval } from '../../../core/text/secrets/redact.ts'
import { leaveOutMiddle } from '../../../terminal/fit-rows.ts'
import type { CallBlock } from '../view/view.ts'
import { fit, plain, showDuration, spinner, spread, wrap } from './canvas.ts'
import type { Canvas } from './canvas.ts'
import { headline } from '../../../terminal/call-headline.ts'
import { fileOf, readable } from './describe-call.ts'
import { barRow, drawChanges } from './draw-diff.ts'

/** How a call is displayed. */
export interface CallDisplay {
  readonly isOpen: boolean
  readonly isSelected: boolean
}

/** Rows of a collapsed call: many for what the user typed, few for what a model did. */
const CLOSED_ROWS = { person: 24, model: 6, runtime: 6 } as const
/** Changes matter most, so they get more rows. */
const CLOSED_CHANGE_ROWS = { person: 40, model: 16, runtime: 16 } as const
const OPEN_ROWS = 600
const REASON_ROWS = 4

/** Draws a call: a header row with its progress, and its result below. */
export function drawCall(call: CallBlock, display: CallDisplay, canvas: Canvas): readonly string[] {
  const rows = [header(call, display, canvas), ...reasonRows(call, canvas)]
  if (display.isOpen) rows.push(...jsonRows(call, canvas))
  else rows.push(...bodyRows(call, canvas))
  if (display.isSelected) rows.push(actionRow(call, canvas))
  return rows
}

function header(call: CallBlock, { isSelected }: CallDisplay, canvas: Canvas): string {
  const { paint, columns } = canvas
  const name = plain(call.name)
  const left = `${'   '.repeat(call.depth ?? 0)} ${mark(call, canvas)} ${isSelected ? paint('inverse', name) : paint('bold', name)} ${headline(call)}`
  return spread(left, paint('dim', rightOf(call, canvas)), columns)
}

function mark({ progress, result }: CallBlock, canvas: Canvas): string {
  const { paint } = canvas
  switch (progress) {
    case 'pending':
    case 'held':
      return paint('dim', '•')
    case 'interrupted':
      return paint('yellow', '!')
    case 'asked':
      return paint('yellow', '?')
    case 'running':
      return paint('cyan', spinner(canvas))
    case 'done':
      return failureOf(result) === null ? paint('green', '✓') : paint('yellow', '✗')
    case 'failed':
      return paint('red', '✗')
    case 'refused':
      return paint('yellow', '⊘')
  }
}

function rightOf(call: CallBlock, { now }: Canvas): string {
  switch (call.progress) {
    case 'pending':
      return 'pending'
    case 'held':
      return `held, id ${plain(call.id)}`
    case 'interrupted':
      return 'interrupted'
    case 'asked':
      return 'waits for you'
    case 'running':
      if (call.landing !== undefined) return `landing, ${call.landing.done} of ${call.landing.total} files`
      return call.startedAt === null ? 'running' : showDuration(Math.max(0, now - call.startedAt))
    case 'done':
    case 'failed':
    case 'refused': {
      if (call.isUndone) return 'taken back'
      const duration = call.durationMs === null ? [] : [showDuration(call.durationMs)]
      const failing = failureOf(call.result)
      return [...(failing === null ? [] : [plain(failing)]), ...duration].join(', ')
    }
  }
}

function failureOf(result: CallBlock['result']): string | null {
  return result === null ? null : describeFailedCommand(result)
}

function reasonRows({ progress, reason, result }: CallBlock, canvas: Canvas): readonly string[] {
  if (reason === null || (progress !== 'failed' && progress !== 'refused')) return []
  const code = result !== null && !result.ok ? `${result.error.code}: ` : ''
  const says = wrap(plain(redactForApproval(code + reason)), canvas.columns, '     ')
  const hints = result !== null && !result.ok ? result.error.recovery : []
  const shown = says
    .slice(0, REASON_ROWS)
    .map((row) => canvas.paint(progress === 'failed' ? 'red' : 'yellow', row))
  return [
    ...shown,
    ...hints.flatMap((hint) =>
      wrap(plain(hint), canvas.columns, '     ')
        .slice(0, 2)
        .map((row) => canvas.paint('dim', row)),
    ),
  ]
}

function bodyRows(call: CallBlock, canvas: Canvas): readonly string[] {
  const most = CLOSED_ROWS[call.origin]
  if (call.changes.length > 0) return drawChanges(call.changes, canvas, CLOSED_CHANGE_ROWS[call.origin])
  if (call.result?.ok !== true) return []
  const lines = plain(readable(call.result)).trimEnd().split('\n')
  if (lines.length === 1 && lines[0] === '') return []
  return boundRows(lines, most, canvas, ', Tab shows more')
}

/** Everything about a call as JSON, secrets removed. */
function jsonRows(call: CallBlock, canvas: Canvas): readonly string[] {
  const whole = {
    id: call.id,
    name: call.name,
    args: call.args,
    ...(call.result === null ? {} : { result: call.result }),
  }
  const text = redactForApproval(JSON.stringify(whole, null, 2))
  const rows = plain(text)
    .split('\n')
    .flatMap((line) => wrap(line, canvas.columns - 4))
  const changes = call.changes.length === 0 ? [] : drawChanges(call.changes, canvas, OPEN_ROWS)
  return [...changes, ...boundRows(rows, OPEN_ROWS, canvas, '')]
}

function boundRows(lines: readonly string[], most: number, canvas: Canvas, way: string): readonly string[] {
  const say = (missing: number): string => canvas.paint('dim', `… ${missing} lines left out${way}`)
  return leaveOutMiddle(lines, most, say).rows.map((line) => barRow(line, canvas))
}

function actionRow(call: CallBlock, { paint, columns }: Canvas): string {
  const place = fileOf(call)
  const open =
    place === null ? '' : ` · Ctrl-O open ${plain(place.path)}${place.line > 1 ? `:${place.line}` : ''}`
  return fit(paint('dim', `   Tab JSON${open} · Ctrl-G why`), columns)
}
