import { columnsOf } from '../../../terminal/fit-rows.ts'
import { fit, plainLine, spinner } from './canvas.ts'
import type { Canvas } from './canvas.ts'
import type { StartFacts } from './draw-start.ts'

/** The content of the status row. */
export interface StatusFacts extends Pick<StartFacts, 'preset' | 'mode' | 'sandbox' | 'model' | 'session'> {
  readonly tokens: number
  /** What the session cost so far; null if nothing of it has a price. */
  readonly cost: number | null
  /** How full the context window is, in percent; null if its size is unknown. */
  readonly contextPercent: number | null
  /** How many commands go on in the background. */
  readonly background: number
  readonly doing: 'idle' | 'busy' | 'stopping'
  /** The tool whose call is running; null if none is. */
  readonly running: string | null
  /** Whether Esc leads back to the end of the conversation. */
  readonly isLookingBack: boolean
  /** Shown for a moment; null if there is nothing to show. */
  readonly hint: string | null
}

/** Draws the status row: what is going on, and what applies. */
export function drawStatus(facts: StatusFacts, canvas: Canvas): string {
  const { paint, columns } = canvas
  const said = facts.hint === null ? doingWords(facts, canvas) : paint('yellow', ` ${facts.hint}`)
  const left = fit(said, columns - 1)
  const right = fitParts(partsOf(facts), columns - columnsOf(left) - 3)
  return `${left}${' '.repeat(Math.max(1, columns - columnsOf(left) - columnsOf(right) - 1))}${paint('dim', right)}`
}

/** A part of the row. The least important ones go first if there is no room; none is ever cut, least of all a number. */
interface StatusPart {
  /** The first is the most important. */
  readonly rank: number
  readonly text: string
  /** What is shown if there is no room for the text; it is left out if absent. */
  readonly short?: string
}

function partsOf(facts: StatusFacts): readonly StatusPart[] {
  const { background, mode, contextPercent, cost, tokens } = facts
  const model = facts.model === null ? 'no model' : plainLine(facts.model)
  return [
    ...(background === 0
      ? []
      : [{ rank: 4, text: `${background} in the background`, short: `${background} bg` }]),
    { rank: 0, text: facts.preset },
    ...(mode === 'enabled' ? [] : [{ rank: 1, text: mode }]),
    { rank: 8, text: plainLine(facts.sandbox ?? 'checking…') },
    { rank: 5, text: model, short: model.slice(model.lastIndexOf('/') + 1) },
    ...(contextPercent === null
      ? []
      : [{ rank: 2, text: `context ${contextPercent} %`, short: `${contextPercent} %` }]),
    ...(cost === null ? [] : [{ rank: 3, text: `cost ${showCost(cost)}` }]),
    ...(tokens === 0 ? [] : [{ rank: 6, text: `${showCount(tokens)} tokens` }]),
    { rank: 7, text: plainLine(facts.session) },
  ]
}

const BETWEEN = ' · '

/** As many parts as fit, in their order: the less important are shortened, then left out. */
function fitParts(parts: readonly StatusPart[], room: number): string {
  const join = (shown: readonly StatusPart[]): string => shown.map(({ text }) => text).join(BETWEEN)
  const byRank = parts.toSorted((one, other) => other.rank - one.rank)
  let shown = parts
  for (const part of byRank) {
    if (columnsOf(join(shown)) <= room) break
    const { short } = part
    const isShorter = short !== undefined && columnsOf(short) < columnsOf(part.text)
    const shorter = shown.map((one) => (one === part && isShorter ? { rank: one.rank, text: short } : one))
    shown = isShorter && columnsOf(join(shorter)) <= room ? shorter : shown.filter((one) => one !== part)
  }
  return columnsOf(join(shown)) <= room ? join(shown) : ''
}

const THOUSAND = 1_000

function showCount(number: number): string {
  if (number < THOUSAND) return String(number)
  return number < THOUSAND * THOUSAND
    ? `${(number / THOUSAND).toFixed(1)}k`
    : `${(number / THOUSAND / THOUSAND).toFixed(1)}M`
}

/** Small costs have more digits, so that they are not shown as nothing. */
function showCost(cost: number): string {
  return cost.toFixed(cost > 0 && cost < 0.1 ? 4 : 2)
}

function doingWords({ doing, running, isLookingBack }: StatusFacts, canvas: Canvas): string {
  const { paint } = canvas
  if (isLookingBack && doing !== 'stopping') return paint('dim', ' Esc goes back')
  if (doing === 'stopping') return paint('yellow', ' stopping after the commit in progress')
  if (doing === 'idle') return paint('dim', ' /help')
  const what = running === null ? '' : `${plainLine(running)} · `
  return ` ${paint('cyan', spinner(canvas))} ${paint('dim', `${what}Esc cancels`)}`
}
