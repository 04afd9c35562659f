import { asShown, isAboutResults } from '../../../terminal/approval-screen.ts'
import { oneLine } from '../../../terminal/one-line.ts'
import { layChoices } from '../../../terminal/fit-rows.ts'
import { describeSeconds } from '../../../terminal/grant-choices.ts'
import { choosableHunks } from '../../../terminal/hunk-choice.ts'
import { plainLine, wrap } from '../draw/canvas.ts'
import type { Canvas } from '../draw/canvas.ts'
import { isAllShown, scopeOf } from './approval-state.ts'
import type { ApprovalSheet } from './approval-state.ts'
import { ONE_MOMENT } from './sheet.ts'

/** How many rows of the call itself are shown at least. */
export const LEAST_BODY = 3
const OFFER_ROWS = 3
/** From when on the remaining time is shown. */
const WARNED_MS = 60_000

/** Where a footer is drawn. */
interface FooterPlace {
  readonly canvas: Canvas
  readonly height: number
  readonly acceptsKeys: boolean
}

/**
 * The footer, and what of the offer stands below the call instead: the words of a scope may be as long as a path, and must
 * not push the question off the screen.
 */
export function fitFooter(
  sheet: ApprovalSheet,
  { canvas, height, acceptsKeys }: FooterPlace,
): { readonly foot: readonly string[]; readonly offerRest: readonly string[] } {
  const offered = offer(sheet, canvas)
  const footWith = (rows: readonly string[]): readonly string[] => footer(sheet, rows, canvas, acceptsKeys)
  const whole = footWith(offered)
  const most = height - 1 - LEAST_BODY - 1
  if (offered.length <= OFFER_ROWS && whole.length <= most) return { foot: whole, offerRest: [] }
  const [start = ''] = offered
  const below = canvas.paint('dim', ' … below the call')
  const short = footWith(offered.length === 0 ? [] : [start, below])
  const foot = short.length <= most ? short : footWith(offered.length === 0 ? [] : [start])
  return { foot, offerRest: offered.length < 2 ? [] : offered }
}

/** What granting for longer would mean. */
function offer(sheet: ApprovalSheet, canvas: Canvas): readonly string[] {
  const { columns, paint } = canvas
  const offered = scopeOf(sheet, sheet.at)
  if (offered === null) return []
  const land = sheet.requests[sheet.at]?.kind === 'landing' ? 'land, ask no more for ' : ''
  const keys = isAboutResults(sheet.requests)
    ? ['g']
    : [`t ${land}${describeSeconds(sheet.grantSeconds).replace(/minutes?$/, 'min')}`, 'g always']
  return wrap(`${keys.join(', ')}: ${asShown(oneLine(offered.sentence), canvas)}`, columns, ' ').map((row) =>
    paint('dim', row),
  )
}

function footer(
  sheet: ApprovalSheet,
  offered: readonly string[],
  canvas: Canvas,
  acceptsKeys: boolean,
): readonly string[] {
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
  if (sheet.line !== '')
    return [
      ` > ${plainLine(sheet.line)}${paint('inverse', ' ')}`,
      paint('dim', ' Enter takes it, Esc clears it'),
    ]
  const keys = [
    ...(isGroup ? ['Space select', 'a all', 'n none', '↑↓ move'] : []),
    ...answerKeys(sheet),
    ...((request?.scopes.length ?? 0) > 1 ? ['w other scope'] : []),
    ...(isAllShown(sheet) ? ['l later', sheet.isWhole ? 'Tab less' : 'Tab in full'] : []),
    ...(isGroup ? ['Enter after a letter'] : []),
    // In full, there is no more to explain.
    ...(sheet.isWhole ? [] : [sheet.isExplained ? '? less' : '? more']),
    'Esc cancel',
  ]
  return [
    ...hint,
    ...timeLeft(sheet, canvas),
    ...offered,
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

/** Warns before the time limit, because no answer counts as no. */
function timeLeft({ silenceAt }: ApprovalSheet, { now, paint }: Canvas): readonly string[] {
  const leftMs = silenceAt === null ? Infinity : silenceAt - now
  if (leftMs > WARNED_MS) return []
  return [paint('yellow', ` No answer counts as no in ${Math.max(0, Math.ceil(leftMs / 1000))} s.`)]
}
