import type { Row } from '../measure.ts'
import { drawGoals } from './goal-plot.ts'
import { drawCurve } from './curve-plot.ts'

/** A picture of the page. */
export interface Plot {
  readonly file: string
  readonly title: string
  readonly svg: string
}

/** All rows against their goals, and the curve of each row that has one. */
export function drawPlots(rows: readonly Row[]): readonly Plot[] {
  const goals = 'How much of its goal each row uses: left of the line the goal is met'
  const curves = rows.flatMap(({ curve }) =>
    curve === undefined
      ? []
      : [{ file: `${nameOf(curve.title)}.svg`, title: curve.title, svg: drawCurve(curve) }],
  )
  return [{ file: 'goals.svg', title: goals, svg: drawGoals(rows, goals) }, ...curves]
}

function nameOf(title: string): string {
  return title
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '')
}
