import type { ToolResult } from '../../../core/result.ts'
import { redactForRecord } from '../../../core/text/secrets/redact.ts'
import { leaveOutMiddle } from '../../../terminal/fit-rows.ts'
import type { CallBlock } from '../view/view.ts'
import { fit, plain, plainLine, showDuration, spinner, spread, wrap } from './canvas.ts'
import type { Canvas } from './canvas.ts'
import { headline } from '../../../terminal/call-headline.ts'
import { fileOf, readable } from './describe-call.ts'
import { barRow, countChangeRows, drawChanges } from './draw-diff.ts'
import { describeFailure, describeFound } from './fold-result.ts'

/** How far a call is opened: a part of its result, all of it, or everything as JSON. */
export type Opened = 'closed' | 'result' | 'json'

/** How a call is displayed. */
export interface CallDisplay {
  readonly opened: Opened
  readonly isSelected: boolean
}

const OPEN_ROWS = 600
const REASON_ROWS = 4
const HINT_ROWS = 2

/** Draws a call: a header row with its progress, and its result below. */
export function drawCall(call: CallBlock, display: CallDisplay, canvas: Canvas): readonly string[] {
  const rows = [header(call, display, canvas), ...reasonRows(call, display.opened !== 'closed', canvas)]
  if (display.opened === 'json') rows.push(...jsonRows(call, canvas))
  else rows.push(...resultRows(call, display.opened === 'result', canvas))
  if (display.isSelected) rows.push(actionRow(call, display.opened, canvas))
  return rows
}

/** What the key that opens a call does next: all of its result if a part of it is hidden, then JSON, then it closes. */
export function nextOpened(call: CallBlock, opened: Opened): Opened {
  if (opened === 'json') return 'closed'
  return opened === 'closed' && hasMore(call) ? 'result' : 'json'
}

function header(call: CallBlock, { isSelected }: CallDisplay, canvas: Canvas): string {
  const { paint, columns } = canvas
  const name = plainLine(call.name)
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
      return describeFailure(result) === null ? paint('green', '✓') : paint('yellow', '✗')
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
      return `held, id ${plainLine(call.id)}`
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
      const failing = describeFailure(call.result)
      const found = foundBy(call)
      const { durationMs } = call
      const isPlain = found !== null || call.progress === 'refused'
      const isQuick = durationMs === null || (isPlain && durationMs < QUICK_MS)
      return [failing, found, isQuick ? null : showDuration(durationMs)]
        .filter((part) => part !== null)
        .map(plain)
        .join(', ')
    }
  }
}

/** Reading and refusing take no time worth a word, unless they take longer. */
const QUICK_MS = 1_000

/** What a call found, if that is all that is shown of its result; what a person asked for is shown, if it can be read. */
function foundBy({ result, origin }: CallBlock): string | null {
  if (result === null || (origin === 'person' && !isBinary(result))) return null
  return describeFound(result)
}

function isBinary(result: ToolResult): boolean {
  return result.ok && result.result['encoding'] === 'base64'
}

function reasonRows(
  { progress, reason, result }: CallBlock,
  isOpen: boolean,
  canvas: Canvas,
): readonly string[] {
  if (reason === null || (progress !== 'failed' && progress !== 'refused')) return []
  const { opensWith: opener = 'Tab' } = canvas
  const word = result !== null && !result.ok ? result.error.code : ''
  const code = word === '' || reason.toLowerCase().startsWith(word) ? '' : `${word}: `
  const says = wrap(plain(redactForRecord(code + reason)), canvas.columns, '     ')
  const hints = result !== null && !result.ok ? result.error.recovery : []
  const advice = hints.map((hint) => wrap(plain(hint), canvas.columns, '     '))
  const shown = isOpen ? says : says.slice(0, REASON_ROWS)
  const advised = isOpen ? advice : advice.map((rows) => rows.slice(0, HINT_ROWS))
  const hidden = says.length - shown.length + advice.flat().length - advised.flat().length
  return [
    ...shown.map((row) => canvas.paint(progress === 'failed' ? 'red' : 'yellow', row)),
    ...advised.flat().map((row) => canvas.paint('dim', row)),
    ...(hidden === 0 ? [] : [canvas.paint('dim', `     … ${opener} shows all of it`)]),
  ]
}

/** Rows of a closed call: many for what the user typed, few for what a model did, and for changes, which matter most. */
const CLOSED_ROWS = { person: 24, model: 6, runtime: 6 } as const
const CLOSED_CHANGE_ROWS = { person: 40, model: 16, runtime: 16 } as const
/** Of what a command printed, the end matters; more of it if the command failed. */
const OUTPUT_ROWS = { done: 4, failed: 10 } as const

/** The lines of a result, how many of them are shown while the call is closed, and which. */
interface FoldedLines {
  readonly lines: readonly string[]
  readonly most: number
  readonly end: 'middle' | 'tail'
}

function foldLines(call: CallBlock): FoldedLines {
  const { result, origin, changes } = call
  // What an edit says about itself is the change.
  const isSaidByChange = result === null || (changes.length > 0 && printedBy(result) === null)
  const text = isSaidByChange ? '' : plain(readable(result)).trimEnd()
  const lines = text === '' ? [] : text.split('\n')
  const isShown = result === null || (origin === 'person' && !isBinary(result))
  if (isShown) return { lines, most: CLOSED_ROWS.person, end: 'middle' }
  const isFailing = describeFailure(result) !== null
  const outputRows = isFailing ? OUTPUT_ROWS.failed : OUTPUT_ROWS.done
  const printed = printedBy(result)
  if (printed !== null) return { lines, most: outputRows, end: printed === 'output' ? 'tail' : 'middle' }
  return { lines, most: foundBy(call) === null ? CLOSED_ROWS[origin] : 0, end: 'middle' }
}

/** Whether a result holds what a process printed, or a report of tests; null if neither. */
function printedBy(result: ToolResult): 'output' | 'report' | null {
  const { stdout, report } = result.ok ? result.result : result.error.details
  if (typeof stdout === 'string') return 'output'
  return typeof report === 'string' ? 'report' : null
}

/** Whether a part of the result is hidden while the call is closed. */
function hasMore(call: CallBlock): boolean {
  const { lines, most } = foldLines(call)
  const changed = countChangeRows(call.changes)
  return lines.length > most || changed > CLOSED_CHANGE_ROWS[call.origin]
}

/** Whether the header row names the only file that was changed, in full: a narrow terminal cuts the row. */
function isFileNamed(call: CallBlock, canvas: Canvas): boolean {
  const [first, ...others] = call.changes
  if (first === undefined || others.length > 0) return false
  return header(call, { opened: 'closed', isSelected: false }, canvas).split(' ').includes(first.path)
}

function resultRows(call: CallBlock, isOpen: boolean, canvas: Canvas): readonly string[] {
  return [...textRows(call, isOpen, canvas), ...changeRows(call, isOpen, canvas)]
}

function changeRows(call: CallBlock, isOpen: boolean, canvas: Canvas): readonly string[] {
  const { opensWith: opener = 'Tab' } = canvas
  if (call.changes.length === 0) return []
  const most = isOpen ? OPEN_ROWS : CLOSED_CHANGE_ROWS[call.origin]
  const way = isOpen ? '' : `, ${opener} shows them`
  return drawChanges(call.changes, canvas, { most, isNamed: isFileNamed(call, canvas), way })
}

function textRows(call: CallBlock, isOpen: boolean, canvas: Canvas): readonly string[] {
  const { opensWith: opener = 'Tab' } = canvas
  const { lines, most, end } = foldLines(call)
  if (isOpen)
    return boundRows(
      lines.flatMap((line) => wrap(line, canvas.columns - 4)),
      OPEN_ROWS,
      canvas,
      '',
    )
  if (most === 0) return []
  if (end === 'middle' || lines.length <= most)
    return boundRows(lines, most, canvas, `, ${opener} shows more`)
  const hidden = canvas.paint('dim', `… ${lines.length - most + 1} lines before these, ${opener} shows more`)
  return [hidden, ...lines.slice(1 - most)].map((line) => barRow(line, canvas))
}

/** Everything about a call as JSON, secrets removed. */
function jsonRows(call: CallBlock, canvas: Canvas): readonly string[] {
  const whole = {
    id: call.id,
    name: call.name,
    args: call.args,
    ...(call.result === null ? {} : { result: call.result }),
  }
  const text = redactForRecord(JSON.stringify(whole, null, 2))
  const rows = plain(text)
    .split('\n')
    .flatMap((line) => wrap(line, canvas.columns - 4))
  return boundRows(rows, OPEN_ROWS, canvas, '')
}

function boundRows(lines: readonly string[], most: number, canvas: Canvas, way: string): readonly string[] {
  const say = (missing: number): string => canvas.paint('dim', `… ${missing} lines left out${way}`)
  return leaveOutMiddle(lines, most, say).rows.map((line) => barRow(line, canvas))
}

const TAB_WORDS: Readonly<Record<Opened, string>> = {
  closed: 'close',
  result: 'all',
  json: 'JSON',
}

function actionRow(call: CallBlock, opened: Opened, { paint, columns }: Canvas): string {
  const place = fileOf(call)
  const open =
    place === null ? '' : ` · Ctrl-O open ${plainLine(place.path)}${place.line > 1 ? `:${place.line}` : ''}`
  return fit(paint('dim', `   Tab ${TAB_WORDS[nextOpened(call, opened)]}${open} · Ctrl-G why`), columns)
}
