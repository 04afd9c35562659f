import {
  asShown,
  describeSandbox,
  drawBody,
  isAboutResults,
  oneLine,
  questionOf,
  RISKS,
} from '../../../terminal/approval-screen.ts'
import type { ApprovalAnswer, ApprovalRequest } from '../../../core/approval.ts'
import { fit, plainLine, wrap } from '../draw/canvas.ts'
import type { Canvas } from '../draw/canvas.ts'
import { layChoices } from '../../../terminal/fit-rows.ts'
import { describeSeconds } from '../../../terminal/grant-choices.ts'
import { choosableHunks } from '../../../terminal/hunk-choice.ts'
import type { Style } from '../../../terminal/paint.ts'
import { ONE_MOMENT } from './sheet.ts'
import { markSeen, scopeOf } from './approval-sheet.ts'
import type { ApprovalSheet } from './approval-sheet.ts'

/** The drawn sheet, and its state after drawing. */
export interface DrawnSheet {
  readonly rows: readonly string[]
  readonly sheet: ApprovalSheet
}

const LISTED = 6
const FACT_ROWS = 3
const LEAST_BODY = 3
/** From when on the remaining time is shown. */
const WARNED_MS = 60_000

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
  const foot = footer(sheet, canvas, acceptsKeys)
  const first = [title(sheet, canvas), ...list(sheet, canvas)]
  // On a low screen, the keys and the call itself take precedence over the facts.
  const room = Math.max(0, height - first.length - foot.length - LEAST_BODY - 1)
  const note = noteRows(request, canvas)
  const isNoteShort = note.length <= Math.min(FACT_ROWS, room)
  const head = [...first, ...[...note.slice(0, FACT_ROWS), ...facts(sheet, canvas)].slice(0, room)]
  const columns = canvas.columns
  const drawn = drawBody(request, requests.length, canvas, isWhole)
  const left = height - head.length - foot.length - 1
  // A long note is read with the call, where it can be scrolled: cut off, it would hide what it warns of.
  const rest = isNoteShort ? [] : [paint('yellow', ' In full:'), ...note]
  const rows = rest.length + LEAST_BODY <= left ? [...rest, ...drawn.rows] : [...drawn.rows, ...rest]
  const page = Math.max(LEAST_BODY, Math.min(rows.length, left))
  const next = markSeen(sheet, { columns, page, rows: rows.length, isCut: drawn.isCut })
  const body = rows.slice(next.top, next.top + page)
  const missing = rows.length - next.top - body.length
  const more =
    missing > 0 || next.top > 0 || drawn.isCut ? [moreRow(next.top, missing, drawn.isCut, canvas)] : []
  return { rows: [...head, ...body, ...more, ...foot].map((row) => fit(row, columns)), sheet: next }
}

function title({ requests, at, answers }: ApprovalSheet, { paint, columns }: Canvas): string {
  const request = requests[at]
  const { words, colour } = RISKS[request?.risk ?? 'High']
  const question = request === undefined ? '' : questionOf(request)
  const which =
    requests.length === 1 ? '' : ` Question ${at + 1} of ${requests.length}, ${answers.size} answered.`
  return fit(`${paint('inverse', ` ${question} `)}${which} ${paint(colour, words)}`, columns)
}

/** The questions of a group around the current one. */
function list({ requests, at, chosen, answers }: ApprovalSheet, canvas: Canvas): readonly string[] {
  const { paint, columns } = canvas
  if (requests.length === 1) return []
  const from = Math.max(0, Math.min(at - Math.floor(LISTED / 2), requests.length - LISTED))
  return requests.slice(from, from + LISTED).map(({ call, summary, risk, about }, offset) => {
    const index = from + offset
    const box = chosen.has(index) ? '[x]' : '[ ]'
    const given = answers.get(index)
    const { words, colour } = RISKS[risk]
    const said = given === undefined ? paint(colour, words) : paint('bold', inWords(given, about))
    const what = asShown(`${oneLine(call.name)}: ${oneLine(summary)}`, canvas)
    const row = `${index === at ? '>' : ' '} ${box} ${index + 1} ${what}`
    const room = columns - 20
    return `${fit(index === at ? paint('bold', row) : row, room)}  ${said}`
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
function noteRows({ note }: ApprovalRequest, canvas: Canvas): readonly string[] {
  if (note === undefined) return []
  return wrap(asShown(plainLine(note), canvas), canvas.columns, ' ').map((row) => canvas.paint('yellow', row))
}

/** Additional facts about the call. */
function facts(sheet: ApprovalSheet, canvas: Canvas): readonly string[] {
  const { columns, paint } = canvas
  const request = sheet.requests[sheet.at]
  if (request === undefined) return []
  const { rung, why } = request
  const say = (style: Style, text: string): readonly string[] =>
    wrap(asShown(plainLine(text), canvas), columns, ' ')
      .slice(0, FACT_ROWS)
      .map((row) => paint(style, row))
  return [
    ...(rung === null ? [] : say('dim', `Sandbox: ${sheet.isWhole ? describeSandbox(request) : rung}`)),
    ...(why === '' ? [] : say('dim', `Asked because: ${why}`)),
    ...wayBack(request).flatMap((text) => say('dim', text)),
  ]
}

/** How to revert an approval that turns out to be wrong. */
function wayBack({ diff, rung, about, layer }: ApprovalRequest): readonly string[] {
  if (about === 'result') return []
  if (diff !== null) return ['Afterwards: /undo reverts exactly this.']
  if (rung === null) return []
  if (layer !== undefined && layer !== 'none')
    return ['Afterwards: /undo reverts what it changed; Esc stops it while it runs.']
  return ['Afterwards: /undo does not revert what a command does; Esc stops it while it runs.']
}

/** Warns before the time limit, because no answer counts as no. */
function timeLeft({ silenceAt }: ApprovalSheet, { now, paint }: Canvas): readonly string[] {
  const leftMs = silenceAt === null ? Infinity : silenceAt - now
  if (leftMs > WARNED_MS) return []
  return [paint('yellow', ` No answer counts as no in ${Math.max(0, Math.ceil(leftMs / 1000))} s.`)]
}

/** What granting for longer would mean. */
function offer(sheet: ApprovalSheet, canvas: Canvas): readonly string[] {
  const { columns, paint } = canvas
  const offered = scopeOf(sheet, sheet.at)
  if (offered === null) return []
  const another = (sheet.requests[sheet.at]?.scopes.length ?? 0) > 1 ? ' (w: another scope)' : ''
  return wrap(`t and s mean: ${asShown(oneLine(offered.sentence), canvas)}${another}`, columns, ' ').map(
    (row) => paint('dim', row),
  )
}

function moreRow(above: number, below: number, isCut: boolean, { paint }: Canvas): string {
  const parts = [
    ...(above > 0 ? [`${above} rows above`] : []),
    ...(below > 0 ? [`${below} rows below`] : []),
    ...(isCut ? ['some left out: Tab shows all'] : []),
  ]
  return paint('dim', `  … ${parts.join(', ')}`)
}

function footer(sheet: ApprovalSheet, canvas: Canvas, acceptsKeys: boolean): readonly string[] {
  const { paint, columns } = canvas
  if (!acceptsKeys) return [paint('dim', ONE_MOMENT)]
  const request = sheet.requests[sheet.at]
  const isLanding = request?.kind === 'landing'
  if (sheet.words !== null)
    return [
      ` Why not? (for the model; Enter ${isLanding ? 'discards it' : 'denies'}, Esc goes back)`,
      ` > ${plainLine(sheet.words)}${paint('inverse', ' ')}`,
    ]
  const hint = sheet.hint === null ? [] : wrap(sheet.hint, columns, ' ').map((row) => paint('yellow', row))
  if (sheet.hunks !== null && request !== undefined) {
    const count = choosableHunks(request)
    return [
      ...hint,
      ...wrap(`Which hunks, of ${count}? (1 3-5; Enter takes only these, Esc goes back)`, columns, ' '),
      ` > ${plainLine(sheet.hunks)}${paint('inverse', ' ')}`,
    ]
  }
  const isGroup = sheet.requests.length > 1
  const keys = [
    ...(isGroup ? ['Space select', 'a all', 'n none', '↑↓ move'] : []),
    ...answerKeys(sheet),
    sheet.isWhole ? 'Tab less' : 'Tab in full',
    'Esc cancel',
  ]
  return [
    ...hint,
    ...timeLeft(sheet, canvas),
    ...offer(sheet, canvas),
    ...layChoices(keys, columns - 1, ' · ').map((row) => paint('dim', ` ${row}`)),
  ]
}

function answerKeys(sheet: ApprovalSheet): readonly string[] {
  if (isAboutResults(sheet.requests)) {
    const remember = scopeOf(sheet, sheet.at) === null ? [] : ['s not a secret, remember']
    return ['o unchanged', ...remember, 'd remove the secrets']
  }
  const isLanding = sheet.requests[sheet.at]?.kind === 'landing'
  const [also, verb] = isLanding ? ['land, ask no more ', 'land '] : ['', '']
  const grantKeys =
    scopeOf(sheet, sheet.at) === null
      ? []
      : [`t ${also}for ${describeSeconds(sheet.grantSeconds)}`, `s ${verb}always for this scope`]
  const request = sheet.requests[sheet.at]
  const some = request === undefined || choosableHunks(request) === 0 ? [] : ['h some hunks']
  return request?.kind === 'landing'
    ? ['o land it', ...some, ...grantKeys, 'd discard it', 'l later']
    : ['o once', ...some, ...grantKeys, 'd deny', 'l later']
}
