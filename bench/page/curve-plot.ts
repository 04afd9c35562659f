import type { Curve } from '../measure.ts'
import { label, line, renderSvg, text, tidy } from './svg.ts'

const WIDTH = 760
const HEIGHT = 340
const FRAME = { left: 76, right: 170, top: 54, bottom: 56 } as const
const COLOURS = ['a', 'b', 'c'] as const
const MOST_TICKS = 6
const WIDE = 30

/** Lines over one axis; it is logarithmic if its values lie far apart and are few. */
export function drawCurve(curve: Curve): string {
  const points = curve.lines.flatMap((one) => one.points)
  const xs = [...new Set(points.map(([x]) => x))].toSorted((one, other) => one - other)
  const isLong = xs.length > MOST_TICKS
  const [first = 0, last = 1] = [isLong ? 0 : xs[0], xs.at(-1)]
  const isLog = first > 0 && last / first >= WIDE
  const scaled = (x: number): number => (isLog ? Math.log(x) : x)
  const right = WIDTH - FRAME.right
  const bottom = HEIGHT - FRAME.bottom
  const step = niceStep(Math.max(...points.map(([, y]) => y)))
  const top = Math.ceil(Math.max(...points.map(([, y]) => y), step) / step) * step
  const placeX = (x: number): number =>
    FRAME.left + ((scaled(x) - scaled(first)) / (scaled(last) - scaled(first) || 1)) * (right - FRAME.left)
  const placeY = (y: number): number => bottom - (y / top) * (bottom - FRAME.top)
  const stride = niceStep(last)
  const ticks = isLong ? Array.from({ length: Math.floor(last / stride) + 1 }, (_, at) => at * stride) : xs
  return renderSvg({ width: WIDTH, height: HEIGHT, title: curve.title }, [
    ...Array.from({ length: Math.round(top / step) + 1 }, (_, at) => at * step).flatMap((y) => [
      line('grid', [FRAME.left, placeY(y)], [right, placeY(y)]),
      text(label(y), { x: FRAME.left - 8, y: placeY(y) + 4, style: 'faint', anchor: 'end' }),
    ]),
    ...ticks.map((x) =>
      text(label(Math.round(x)), { x: placeX(x), y: bottom + 20, style: 'faint', anchor: 'middle' }),
    ),
    text(curve.x, { x: (FRAME.left + right) / 2, y: HEIGHT - 14, style: 'ink', anchor: 'middle' }),
    text(curve.y, { x: FRAME.left - 60, y: FRAME.top - 10, style: 'ink' }),
    ...curve.lines.flatMap((one, at) => drawLine(one, COLOURS[at % COLOURS.length] ?? 'a', placeX, placeY)),
  ])
}

function drawLine(
  { name, points }: Curve['lines'][number],
  colour: string,
  placeX: (x: number) => number,
  placeY: (y: number) => number,
): readonly string[] {
  const placed = points.map(([x, y]) => [tidy(placeX(x)), tidy(placeY(y))] as const)
  const dots =
    placed.length > WIDE
      ? []
      : placed.map(([x, y]) => `<circle class="${colour}" cx="${x}" cy="${y}" r="3.5"/>`)
  const [x = 0, y = 0] = placed.at(-1) ?? []
  return [
    `<polyline class="${colour}" style="fill:none" points="${placed.map((point) => point.join(',')).join(' ')}"/>`,
    ...dots,
    text(name, { x: x + 10, y: y + 4, style: 'ink' }),
  ]
}

/** A round step that divides an axis into a handful of parts. */
function niceStep(most: number): number {
  const rough = most / 5 || 1
  const power = 10 ** Math.floor(Math.log10(rough))
  return ([1, 2, 5].find((factor) => factor * power >= rough) ?? 10) * power
}
