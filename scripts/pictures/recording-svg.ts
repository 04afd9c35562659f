import { readFrame } from './ansi-frame.ts'
import { renderPicture, renderRow } from './frame-svg.ts'
import type { Picture } from './frame-svg.ts'

/** A frame of a terminal, and how long it is looked at. */
export interface Shot {
  readonly frame: string
  readonly seconds: number
}

/**
 * Prints shots of a terminal as one picture that moves. A row that several shots share is drawn once. Who wants no motion
 * sees the last shot.
 */
export function renderRecording(shots: readonly Shot[], picture: Picture): string {
  const frames = shots.map(({ frame }) => readFrame(frame))
  const rowCount = Math.max(...frames.map((rows) => rows.length))
  const shownIn = new Map<string, number[]>()
  for (const [shot, rows] of frames.entries())
    for (const [at, row] of rows.entries()) {
      const drawn = renderRow(row, at).join('\n')
      if (drawn === '') continue
      const known = shownIn.get(drawn) ?? []
      known.push(shot)
      shownIn.set(drawn, known)
    }
  const groups = Map.groupBy(shownIn, ([, shown]) => shown.join())
  const style: string[] = [
    `@media (prefers-reduced-motion: no-preference) { g[class] { animation-duration: ${totalOf(shots)}s; animation-timing-function: step-end; animation-iteration-count: infinite; } }`,
  ]
  const drawn: string[] = []
  for (const [at, [shown, rows]] of [...groups].entries()) {
    const lines = rows.map(([line]) => line)
    if (shown.split(',').length === shots.length) {
      drawn.push(...lines)
      continue
    }
    const name = `s${at}`
    style.push(...describeTimes(name, new Set(shown.split(',').map(Number)), shots))
    drawn.push(`<g class="${name}">`, ...lines, '</g>')
  }
  return renderPicture(drawn, rowCount, picture, style)
}

/** When the rows of some shots are there: only while those are looked at. */
function describeTimes(name: string, shown: ReadonlySet<number>, shots: readonly Shot[]): readonly string[] {
  const total = totalOf(shots)
  let passed = 0
  const steps = shots.flatMap(({ seconds }, shot) => {
    const percent = Math.round((passed / total) * 10_000) / 100
    passed += seconds
    const isSame = shot > 0 && shown.has(shot) === shown.has(shot - 1)
    return isSame ? [] : [`${percent}% { visibility: ${visibilityIf(shown.has(shot))}; }`]
  })
  const still = visibilityIf(shown.has(shots.length - 1))
  return [
    `.${name} { visibility: ${still}; animation-name: ${name}; }`,
    `@keyframes ${name} { ${steps.join(' ')} }`,
  ]
}

function visibilityIf(isShown: boolean): string {
  return isShown ? 'visible' : 'hidden'
}

function totalOf(shots: readonly Shot[]): number {
  return shots.reduce((sum, { seconds }) => sum + seconds, 0)
}
