import { placesOf } from '../../../core/text/secrets/places.ts'
import {
  asShown,
  describeSandbox,
  drawBody,
  nameAndSummary,
  noteRows,
  questionOf,
  RISKS,
} from '../../../terminal/approval-screen.ts'
import { oneLine } from '../../../terminal/one-line.ts'
import type { ApprovalAnswer, ApprovalRequest } from '../../../core/approval.ts'
import { fit, plainLine, wrap } from '../draw/canvas.ts'
import type { Canvas } from '../draw/canvas.ts'
import { columnsOf } from '../../../terminal/fit-rows.ts'
import type { Style } from '../../../terminal/paint.ts'
import { hasTyped, isAllShown, markOffer, markSeen } from './approval-state.ts'
import type { ApprovalSheet } from './approval-state.ts'
import { fitFooter, LEAST_BODY } from './draw-approval-footer.ts'

/** The drawn sheet, and its state after drawing. */
export interface DrawnSheet {
  readonly rows: readonly string[]
  readonly sheet: ApprovalSheet
}

const LISTED = 6
const FACT_ROWS = 3
/** Narrower rows tear words into single letters. */
const LEAST_COLUMNS = 12

/** Draws a group of questions into a height. The keys are hidden until the sheet accepts them. */
export function drawApproval(
  sheet: ApprovalSheet,
  canvas: Canvas,
  height: number,
  acceptsKeys: boolean,
): DrawnSheet {
  const { requests, at, isWhole } = sheet
  const { paint } = canvas
  const request = requests[at]
  if (request === undefined) return { rows: [], sheet }
  const { columns } = canvas
  const { foot, offerRest } = fitFooter(sheet, { canvas, height, acceptsKeys })
  const title = drawTitle(sheet, canvas)
  // On a low screen, the question, its risk, the keys and the call itself take precedence over the facts.
  const most = height - 1 - foot.length - LEAST_BODY - 1
  const first = [title.row, ...list(sheet, canvas, Math.max(0, Math.min(LISTED, most)))]
  const room = Math.max(0, most + 1 - first.length)
  const note = noteRows(request, canvas, (row) => paint('yellow', row))
  const isNoteShort = note.length <= Math.min(FACT_ROWS, room)
  const said = [...note.slice(0, FACT_ROWS), ...facts(sheet, title.hasSandbox, canvas)]
  const head = [...first, ...said.slice(0, room)]
  const drawn = drawBody(request, requests.length, { ...canvas, hasLineNumbers: true }, isWhole)
  const left = height - head.length - foot.length - 1
  // What is cut off is read with the call, where it can be scrolled: otherwise it would hide what it warns of.
  const cut = said.slice(Math.max(room, Math.min(note.length, FACT_ROWS)))
  const rest = [...(isNoteShort ? [] : [paint('yellow', ' In full:'), ...note]), ...cut]
  const rows = [
    ...(rest.length + LEAST_BODY <= left ? [...rest, ...drawn.rows] : [...drawn.rows, ...rest]),
    ...offerRest,
  ]
  if (left < 1 || columns < LEAST_COLUMNS)
    return drawCramped(sheet, { title: title.row, foot }, canvas, height)
  const page = Math.min(rows.length, left)
  // What was in sight only until the keys were shown has hardly been seen.
  const seen = markSeen(sheet, { columns, page, rows: rows.length, isCut: drawn.isCut || !acceptsKeys })
  const isOfferSeen = acceptsKeys && (offerRest.length === 0 || seen.seen.rows >= rows.length)
  const next = { ...(isOfferSeen ? markOffer(seen) : seen), isCramped: false }
  const body = rows.slice(next.top, next.top + page)
  const missing = rows.length - next.top - body.length
  const more =
    missing > 0 || next.top > 0 || drawn.isCut ? [moreRow(next.top, missing, drawn.isCut, canvas)] : []
  return { rows: [...head, ...body, ...more, ...foot].map((row) => fit(row, columns)), sheet: next }
}

const TOO_SMALL =
  'There is no room to show the question. Make the window larger; d denies, l is later, Esc cancels.'

/** Without room for a row of the question there is no yes to it: the screen says so, or shows what is typed. */
function drawCramped(
  sheet: ApprovalSheet,
  { title, foot }: { readonly title: string; readonly foot: readonly string[] },
  { columns, paint }: Canvas,
  height: number,
): DrawnSheet {
  const said = hasTyped(sheet) ? foot : wrap(TOO_SMALL, columns, ' ').map((row) => paint('yellow', row))
  const room = Math.max(1, height)
  const rows = said.length < room ? [title, ...said] : said.slice(0, room)
  return { rows: rows.map((row) => fit(row, columns)), sheet: { ...sheet, isCramped: true } }
}

/** The question and its risk; with the sandbox of a command, if all of it fits. */
function drawTitle(
  sheet: ApprovalSheet,
  canvas: Canvas,
): { readonly row: string; readonly hasSandbox: boolean } {
  const { paint, columns } = canvas
  const { requests, at, answers } = sheet
  const request = requests[at]
  const { words, colour } = RISKS[request?.risk ?? 'High']
  const question = request === undefined ? '' : questionOf(request)
  const which =
    requests.length === 1 ? '' : ` Question ${at + 1} of ${requests.length}, ${answers.size} answered.`
  const row = `${paint('inverse', ` ${question} `)}${which} ${paint(colour, words)}`
  const rung = request?.rung ?? null
  const sandbox = rung === null || isAllShown(sheet) ? '' : ` · ${asShown(plainLine(rung), canvas)}`
  const hasSandbox = sandbox !== '' && columnsOf(row + sandbox) <= columns
  return { row: fit(hasSandbox ? row + paint(sandboxStyle(rung ?? ''), sandbox) : row, columns), hasSandbox }
}

/** Nothing that confines a command is something to notice. */
function sandboxStyle(rung: string): Style {
  return rung.startsWith('UNSANDBOXED') ? 'yellow' : 'dim'
}

/** The questions of a group around the current one. */
function list(
  { requests, at, chosen, answers }: ApprovalSheet,
  canvas: Canvas,
  most: number,
): readonly string[] {
  const { paint, columns } = canvas
  if (requests.length === 1) return []
  const from = Math.max(0, Math.min(at - Math.floor(most / 2), requests.length - most))
  const rows = requests.slice(from, from + most).map((request, offset) => {
    const { summary, risk, about } = request
    const index = from + offset
    const given = answers.get(index)
    const { words, colour } = RISKS[risk]
    const box = chosen.has(index) ? '[x]' : '[ ]'
    return {
      index,
      mark: `${index === at ? '>' : ' '} ${box} ${index + 1} `,
      what: asShown(nameAndSummary(request), canvas),
      short: asShown(oneLine(summary, placesOf(request)), canvas),
      said: given === undefined ? words : inWords(given, about),
      style: given === undefined ? colour : ('bold' as const),
    }
  })
  const room = columns - Math.max(0, ...rows.map(({ said }) => columnsOf(said))) - 2
  return rows.map(({ index, mark, what, short, said, style }) => {
    // The tool is named below as well; what it is about, only here.
    const row = mark + (columnsOf(mark + what) <= room ? what : short)
    return `${fit(index === at ? paint('bold', row) : row, room)}  ${paint(style, said)}`
  })
}

function inWords(answer: ApprovalAnswer, about: ApprovalRequest['about']): string {
  const word = typeof answer === 'string' ? answer : answer.answer
  if (typeof answer === 'object' && answer.answer === 'once' && answer.hunks !== undefined)
    return 'yes, in part'
  if (about === 'result') return word === 'deny' ? 'redacted' : 'unchanged'
  return { once: 'yes, once', deny: 'no', duration: 'yes, for a time', scope: 'yes, always' }[word]
}

/** What a person has to know before they answer. */
/** Additional facts about the call: only what warns, unless more is wanted. */
function facts(sheet: ApprovalSheet, isSandboxSaid: boolean, canvas: Canvas): readonly string[] {
  const { columns, paint } = canvas
  const request = sheet.requests[sheet.at]
  if (request === undefined) return []
  const { rung, why } = request
  const say = (style: Style, text: string): readonly string[] =>
    wrap(asShown(plainLine(text), canvas), columns, ' ')
      .slice(0, FACT_ROWS)
      .map((row) => paint(style, row))
  const isAll = isAllShown(sheet)
  return [
    ...(rung === null || isSandboxSaid
      ? []
      : say(sandboxStyle(rung), `Sandbox: ${isAll ? describeSandbox(request) : rung}`)),
    ...(why === '' || !isAll ? [] : say('dim', `Asked because: ${why}`)),
    ...wayBack(request).flatMap(({ text, isWarning }) => (isWarning || isAll ? say('dim', text) : [])),
  ]
}

/** How to revert an approval that turns out to be wrong. */
function wayBack({
  diff,
  rung,
  about,
  layer,
}: ApprovalRequest): readonly { readonly text: string; readonly isWarning: boolean }[] {
  if (about === 'result') return []
  if (diff !== null) return [{ text: 'Afterwards: /undo reverts exactly this.', isWarning: false }]
  if (rung === null) return []
  if (layer !== undefined && layer !== 'none')
    return [
      { text: 'Afterwards: /undo reverts what it changed; Esc stops it while it runs.', isWarning: false },
    ]
  return [
    {
      text: 'Afterwards: /undo does not revert what it does; Esc stops it while it runs.',
      isWarning: true,
    },
  ]
}

function moreRow(above: number, below: number, isCut: boolean, { paint }: Canvas): string {
  const parts = [
    ...(above > 0 ? [countRows(above, 'above')] : []),
    ...(below > 0 ? [countRows(below, 'below')] : []),
    ...(isCut ? ['some left out: Tab shows all'] : []),
  ]
  return paint('dim', `  … ${parts.join(', ')}`)
}

function countRows(rows: number, where: 'above' | 'below'): string {
  return `${rows} ${rows === 1 ? 'row' : 'rows'} ${where}`
}
