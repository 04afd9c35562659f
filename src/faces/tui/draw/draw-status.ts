import { columnsOf } from '../../../terminal/fit-rows.ts'
import { fit, plainLine, spinner } from './canvas.ts'
import type { Canvas } from './canvas.ts'
import type { StartFacts } from './draw-start.ts'

/** The content of the status row. */
export interface StatusFacts extends Pick<StartFacts, 'preset' | 'mode' | 'sandbox' | 'model' | 'session'> {
  readonly tokens: number
  /** How full the context window is, in percent; null if its size is unknown. */
  readonly contextPercent: number | null
  /** How many commands go on in the background. */
  readonly background: number
  readonly doing: 'idle' | 'busy' | 'stopping'
  /** Shown for a moment; null if there is nothing to show. */
  readonly hint: string | null
}

const NARROW = 90

/** Draws the status row: what applies, and what can be done now. */
export function drawStatus(facts: StatusFacts, canvas: Canvas): string {
  const { paint, columns } = canvas
  const left = facts.hint === null ? doingWords(facts, canvas) : paint('yellow', ` ${facts.hint}`)
  const model = facts.model === null ? 'no model' : plainLine(facts.model)
  const tokens = facts.tokens === 0 ? [] : [`${facts.tokens} tokens`]
  const share = facts.contextPercent === null ? [] : [`context ${facts.contextPercent} %`]
  const background = facts.background === 0 ? [] : [`${facts.background} in the background`]
  const parts =
    columns < NARROW
      ? [...background, facts.preset, model, plainLine(facts.session)]
      : [
          ...background,
          facts.preset,
          facts.mode,
          plainLine(facts.sandbox ?? 'checking…'),
          model,
          plainLine(facts.session),
          ...tokens,
          ...share,
        ]
  const right = parts.map((part) => fit(part, 40)).join(' · ')
  const shown = fit(right, Math.max(1, columns - columnsOf(left) - 3))
  return `${left}${' '.repeat(Math.max(1, columns - columnsOf(left) - columnsOf(shown) - 1))}${paint('dim', shown)}`
}

function doingWords({ doing }: StatusFacts, canvas: Canvas): string {
  const { paint } = canvas
  if (doing === 'stopping') return paint('yellow', ' stopping after the commit in progress')
  if (doing === 'busy') return ` ${paint('cyan', spinner(canvas))} ${paint('dim', 'Esc cancels')}`
  return paint('dim', ' /help')
}
