import type { ApprovalRequest, LandingChange } from '../core/approval.ts'
import { chooseOfEach } from '../core/text/choose-of-each.ts'
import { describeBytes } from '../core/text/describe-bytes.ts'
import { placesOf } from '../core/text/secrets/places.ts'
import type { Risk } from '../core/tool.ts'
import { colourCode } from './colour-code.ts'
import { breakRows, breakWords, columnsOf, leaveOutMiddle } from './fit-rows.ts'
import { layDiff } from './lay-diff.ts'
import type { AskedDiff, DiffLine } from './lay-diff.ts'
import { oneLine, showPlace, visible } from './one-line.ts'
import type { Paint, Style } from './paint.ts'
import { argumentsToShow } from './show-arguments.ts'
import { spellOut } from './spell-out.ts'

/** The width and the colours of a terminal. */
export interface Surface {
  readonly columns: number
  readonly paint: Paint
  /** Whether it shows ASCII only; all of Unicode if absent. */
  readonly isAscii?: boolean
  /** Whether diffs have line numbers instead of the headers of a patch; they are as in a patch if absent. */
  readonly hasLineNumbers?: boolean
}

/** A question as text, and whether something of it was left out. */
export interface Drawing {
  readonly text: string
  readonly isCut: boolean
}

/** The words and the colour of each risk. */
export const RISKS: Readonly<Record<Risk, { readonly words: string; readonly colour: Style }>> = {
  Low: { words: 'low risk', colour: 'green' },
  Medium: { words: 'medium risk', colour: 'yellow' },
  High: { words: '!! HIGH RISK !!', colour: 'red' },
}

/** Whether the questions are about results of finished calls, so that no answer can prevent anything. */
export function isAboutResults(requests: readonly ApprovalRequest[]): boolean {
  return requests.length > 0 && requests.every(({ about }) => about === 'result')
}

const NARROWEST = 20
/** Rows for one diff, and for all diffs of a batch together; below the minimum a diff would show nothing useful. */
const DIFF_ROWS = { most: 36, together: 108, least: 8 } as const
const ARGUMENT_ROWS = 8
/** So many lines that are removed one after the other are shown of a change that is too long for all of them. */
const REMOVED_ROWS = 4
/** Deeper indentation is counted instead of shown, because it could push text out of sight. */
const MOST_INDENT = 24

/** Which of a group of questions is drawn, and whether all of it is. */
export interface RequestPlace {
  readonly number: number
  readonly count: number
  readonly isWhole: boolean
}

/** A question that stands alone, with long parts shortened. */
export const ONLY_REQUEST: RequestPlace = { number: 1, count: 1, isWhole: false }

/**
 * Draws one question so that it cannot deceive: control characters visible, secrets removed, blanks counted. Text from
 * the call stands behind a bar, so that it cannot pass for text of Tongs, and no row is wider than the terminal.
 */
export function drawRequest(
  request: ApprovalRequest,
  { number, count, isWhole }: RequestPlace,
  surface: Surface,
): Drawing {
  const width = widthOf(surface)
  const { words, colour } = RISKS[request.risk]
  const question = questionOf(request)
  const title =
    count === 1
      ? question
      : `Question ${number} of ${count}: ${question.charAt(0).toLowerCase()}${question.slice(1)}`
  const body = drawBody(request, count, surface, isWhole)
  const head = [title, words].join('  ')
  const heading =
    columnsOf(head) <= width
      ? [`${surface.paint('bold', title)}  ${surface.paint(colour, words)}`]
      : [...breakRows(title, width).map((row) => surface.paint('bold', row)), surface.paint(colour, words)]
  const asides = [
    request.why === '' ? undefined : `Asked because ${request.why}.`,
    request.rung === null ? undefined : `Sandbox: ${describeSandbox(request)}.`,
  ].flatMap((aside) =>
    aside === undefined ? [] : breakWords(asShown(oneLine(aside, placesOf(request)), surface), width),
  )
  const rows = ['', ...heading, ...noteRows(request, surface), ...asides, ...body.rows]
  return { text: `${rows.join('\n')}\n`, isCut: body.isCut }
}

/** What else there is to know, behind a bar: it names what others have named. */
export function noteRows(
  request: ApprovalRequest,
  surface: Surface,
  paint: PaintRow = (row) => row,
): readonly string[] {
  const { note } = request
  return note === undefined
    ? []
    : barRows(oneLine(note, placesOf(request)), { most: Infinity, paint }, surface).rows
}

/** What is asked, as a sentence. */
export function questionOf({
  about,
  kind,
  damaged,
}: Pick<ApprovalRequest, 'about' | 'kind' | 'damaged'>): string {
  if (damaged !== undefined) return 'This question is damaged. It can only be denied.'
  if (about === 'result') return 'May the model be given this result?'
  return kind === 'landing' ? 'It has run. May what it changed land?' : 'May this run?'
}

/** What would land, with each move as one change. */
function listLanding(changes: readonly LandingChange[]): readonly (readonly [LandingKind, LandingChange])[] {
  const left = new Set(changes.flatMap(({ from }) => from ?? []))
  return changes.flatMap((change): readonly (readonly [LandingKind, LandingChange])[] => {
    if (change.from !== undefined) return [['moved', change]]
    return change.change === 'deleted' && left.has(change.path) ? [] : [[change.change, change]]
  })
}

type LandingKind = LandingChange['change'] | 'moved'

/** What would land, counted. */
function countLanding({ changes = [], changes_total, size = 0 }: ApprovalRequest): string {
  const listed = listLanding(changes)
  const parts = (['created', 'modified', 'moved', 'deleted'] as const).flatMap((kind) => {
    const count = listed.filter(([is]) => is === kind).length
    return count === 0 ? [] : [`${count} ${kind}`]
  })
  if (parts.length === 0) return 'no files'
  const more = changes_total === undefined ? '' : ` of ${changes_total} in all`
  // What is deleted has no size any more.
  return `${parts.join(', ')}${more}${size === 0 ? '' : ` (${describeBytes(size)})`}`
}

const LANDING_NAMES = 8
const LANDING_MARKS = { created: '+', modified: '~', deleted: '-' } as const

/** The files that would land in one row: the diff of the first may hide that there are others. */
function nameLanding({ changes = [], changes_total }: ApprovalRequest): readonly string[] {
  const listed = listLanding(changes)
  if (listed.length < 2) return []
  const named = chooseOfEach(listed, LANDING_NAMES, ([kind]) => kind)
  const names = named.map(([, { path, change, from }]) =>
    from === undefined ? LANDING_MARKS[change] + showPlace(path) : `${showPlace(from)}→${showPlace(path)}`,
  )
  const cut = changes_total === undefined ? 0 : changes_total - changes.length
  const more = listed.length - named.length + cut
  return [`${names.join(' ')}${more === 0 ? '' : ` and ${more} more`}`]
}

/** The sandbox of a command and its limits. */
export function describeSandbox({ rung, limits }: Pick<ApprovalRequest, 'rung' | 'limits'>): string {
  return [rung, limits].filter((part) => part !== null && part !== undefined).join('; ')
}

/** The tool and what the call would do; tools of others summarize a call by their own name and its arguments. */
export function nameAndSummary({
  call,
  summary,
  ...asked
}: Pick<ApprovalRequest, 'call' | 'summary' | 'names' | 'changes'>): string {
  const name = oneLine(call.name)
  const line = oneLine(summary, placesOf({ call, ...asked }))
  return line.startsWith(`${name} `) ? line : `${name}: ${line}`
}

/** What a call would do, as rows behind a bar: its summary, the arguments unless the change says it all, and the change. */
export function drawBody(
  request: ApprovalRequest,
  count: number,
  surface: Surface,
  isWhole: boolean,
): { readonly rows: readonly string[]; readonly isCut: boolean } {
  const behindBar = (text: string, most: number, paint: PaintRow = (row) => row) =>
    barRows(text, { most: isWhole ? Infinity : most, paint }, surface)
  const places = placesOf(request)
  const parts = [
    behindBar(nameAndSummary(request), ARGUMENT_ROWS),
    ...(request.danger === null
      ? []
      : [
          behindBar(`which ${oneLine(request.danger, places)}`, ARGUMENT_ROWS, (row) =>
            surface.paint('red', row),
          ),
        ]),
    ...(request.kind === 'landing'
      ? [`changed: ${countLanding(request)}`, ...nameLanding(request)].map((row) =>
          behindBar(row, ARGUMENT_ROWS),
        )
      : []),
    ...argumentsToShow(request).map((row) => behindBar(oneLine(row, places), ARGUMENT_ROWS)),
    ...(request.diff === null || request.diff === ''
      ? []
      : [diffRows({ ...request, diff: request.diff }, isWhole ? Infinity : rowsPerDiff(count), surface)]),
  ]
  return { rows: parts.flatMap((part) => part.rows), isCut: parts.some((part) => part.isCut) }
}

/** One column less than the terminal has, because some terminals wrap a full row. */
export function widthOf({ columns }: Surface): number {
  return Math.max(NARROWEST, columns) - 1
}

function rowsPerDiff(count: number): number {
  const { most, together, least } = DIFF_ROWS
  return Math.min(most, Math.max(least, Math.floor(together / count)))
}

/** Styles a row. */
type PaintRow = (row: string) => string

/** A text as the surface can show it. */
export function asShown(text: string, { isAscii }: Pick<Surface, 'isAscii'>): string {
  return isAscii === true ? spellOut(text) : text
}

interface BarLimits {
  readonly most: number
  readonly paint: PaintRow
}

/** Text behind a bar; wrapped rows get a dotted bar. */
export function barRows(text: string, { most, paint }: BarLimits, surface: Surface) {
  const width = widthOf(surface)
  const broken = breakRows(asShown(text, surface), width - 4)
  const { rows, isCut } = leaveOutMiddle(broken, most, (missing) => `… ${missing} rows left out …`)
  const fitting = rows.flatMap((row) => breakRows(row, width - 4))
  const bars = fitting.map(
    (row, index) => `${surface.paint('dim', index === 0 ? '  │' : '  ┊')} ${paint(row)}`,
  )
  return { rows: bars, isCut }
}

/** What stands before the text of a numbered line. */
const GUTTER = /^(?:\[\d+\] )?\s*\d+ [ +-]/

function diffRows(asked: AskedDiff, most: number, surface: Surface) {
  const laid = layDiff(asked, surface)
  const dots = surface.isAscii === true ? '...' : '…'
  const { lines, fileAt } = laid.lines.length > most ? shortenRemoved(laid, dots) : laid
  const isShortened = lines.length < laid.lines.length
  const left = leaveOutMiddle(lines, most, (missing, next): DiffLine => {
    const file = fileAt(next)
    const text = `${dots} ${missing} lines left out${file === null ? '' : `; the next are of ${file}`} ${dots}`
    return { lead: '', text, style: null }
  })
  const drawn = left.rows.map(({ lead, text, style, file = null }) => {
    const paint: PaintRow = (row) => {
      if (file === null) return style === null ? row : surface.paint(style, row)
      const [gutter = ''] = GUTTER.exec(row) ?? []
      const shown = style === null ? gutter : surface.paint(style, gutter)
      return (gutter === '' ? '' : shown) + colourCode(row.slice(gutter.length), file, surface.paint, style)
    }
    const limits = { most: most === Infinity ? Infinity : ARGUMENT_ROWS, paint }
    return barRows(lead + indented(text), limits, surface)
  })
  const isCut = isShortened || left.isCut || drawn.some((part) => part.isCut)
  return { rows: drawn.flatMap((part) => part.rows), isCut }
}

type LaidDiff = ReturnType<typeof layDiff>

/** The first of many lines that are removed together, with their number: what goes would hide what changes. */
function shortenRemoved({ lines, fileAt }: LaidDiff, dots: string): LaidDiff {
  const kept: { readonly line: DiffLine; readonly at: number }[] = []
  for (let from = 0; from < lines.length;) {
    let to = from
    while (isRemoved(lines[to])) to++
    // A row that says what is missing is worth it only for more than one.
    const shown = to - from > REMOVED_ROWS + 1 ? REMOVED_ROWS : Math.max(1, to - from)
    for (let at = from; at < from + shown; at++) kept.push({ line: lines[at] as DiffLine, at })
    const missing = to - from - shown
    if (missing > 0) {
      const text = `${dots} ${missing} more lines removed ${dots}`
      kept.push({ line: { lead: '', text, style: null }, at: from + shown })
    }
    from = Math.max(to, from + 1)
  }
  return { lines: kept.map(({ line }) => line), fileAt: (index) => fileAt(kept[index]?.at ?? lines.length) }
}

/** Without line numbers, the header of a file looks like a line that is removed. */
function isRemoved(line: DiffLine | undefined): boolean {
  return line?.style === 'red' && line.file !== undefined
}

/** A line of a diff: shows its indentation, counts other long runs of blanks. */
function indented(line: string): string {
  const [, sign = '', indent = '', rest = '', end = ''] = /^([ +-]?)([ \t]*)(.*?)(\r?)$/s.exec(line) ?? []
  const shown = indent.length > MOST_INDENT ? visible(indent) : indent.replaceAll('\t', '⇥')
  return sign + shown + visible(rest) + (end === '' ? '' : '␍')
}
