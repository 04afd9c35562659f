import {
  asShown,
  describeSandbox,
  drawBody,
  isAboutResults,
  nameAndSummary,
  oneLine,
  questionOf,
  RISKS,
} from '../../../terminal/approval-screen.ts'
import type { ApprovalAnswer, ApprovalRequest } from '../../../core/approval.ts'
import { fit, plainLine, wrap } from '../draw/canvas.ts'
import type { Canvas } from '../draw/canvas.ts'
import { columnsOf, layChoices } from '../../../terminal/fit-rows.ts'
import { describeSeconds } from '../../../terminal/grant-choices.ts'
import { choosableHunks } from '../../../terminal/hunk-choice.ts'
import type { Style } from '../../../terminal/paint.ts'
import { ONE_MOMENT } from './sheet.ts'
import { markSeen, scopeOf } from './approval-state.ts'
import type { ApprovalSheet } from './approval-state.ts'

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
  const title = drawTitle(sheet, canvas)
  const first = [title.row, ...list(sheet, canvas)]
  // On a low screen, the keys and the call itself take precedence over the facts.
  const room = Math.max(0, height - first.length - foot.length - LEAST_BODY - 1)
  const note = noteRows(request, canvas)
  const isNoteShort = note.length <= Math.min(FACT_ROWS, room)
  const head = [
    ...first,
    ...[...note.slice(0, FACT_ROWS), ...facts(sheet, title.hasSandbox, canvas)].slice(0, room),
  ]
  const columns = canvas.columns
  const drawn = drawBody(request, requests.length, { ...canvas, hasLineNumbers: true }, isWhole)
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

function isAllShown({ isExplained, isWhole }: ApprovalSheet): boolean {
  return isExplained || isWhole
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
    const what = asShown(nameAndSummary({ call, summary }), canvas)
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
      text: 'Afterwards: /undo does not revert what a command does; Esc stops it while it runs.',
      isWarning: true,
    },
  ]
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
  const land = sheet.requests[sheet.at]?.kind === 'landing' ? 'land, ask no more ' : ''
  const keys = isAboutResults(sheet.requests)
    ? ['g']
    : [`t ${land}for ${describeSeconds(sheet.grantSeconds)}`, 'g always']
  return wrap(
    `${keys.join(', ')}: ${asShown(oneLine(offered.sentence), canvas)}${another}`,
    columns,
    ' ',
  ).map((row) => paint('dim', row))
}

function moreRow(above: number, below: number, isCut: boolean, { paint }: Canvas): string {
  const parts = [
    ...(above > 0 ? [countRows(above, 'above')] : []),
    ...(below > 0 ? [countRows(below, 'below')] : []),
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
    ...(isAllShown(sheet) ? ['l later', sheet.isWhole ? 'Tab less' : 'Tab in full'] : []),
    sheet.isExplained ? '? less' : '? more',
    'Esc cancel',
  ]
  return [
    ...hint,
    ...timeLeft(sheet, canvas),
    ...offer(sheet, canvas),
    ...layChoices(keys, columns - 1, ' · ').map((row) => paint('dim', ` ${row}`)),
  ]
}

/** The answers; those that hold for longer are named with what they mean. */
function answerKeys(sheet: ApprovalSheet): readonly string[] {
  if (isAboutResults(sheet.requests)) {
    const remember = scopeOf(sheet, sheet.at) === null ? [] : ['g not a secret, remember']
    return ['o unchanged', ...remember, 'd remove the secrets']
  }
  const request = sheet.requests[sheet.at]
  const some = request === undefined || choosableHunks(request) === 0 ? [] : ['s some hunks']
  return request?.kind === 'landing' ? ['o land it', ...some, 'd discard it'] : ['o once', ...some, 'd deny']
}

function countRows(rows: number, where: 'above' | 'below'): string {
  return `${rows} ${rows === 1 ? 'row' : 'rows'} ${where}`
}
