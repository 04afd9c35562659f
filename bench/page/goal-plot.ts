import type { Row } from '../measure.ts'
import { label, line, renderSvg, text, tidy } from './svg.ts'

const WIDTH = 960
const LABELS = 520
const RIGHT = 80
const TOP = 62
const ROW = 19
const DOT = 4.5
const MOST_LETTERS = 74

/** How much of its goal a row uses: 1 if it is just met, less if there is room. Null if that cannot be said in proportion. */
export function shareOfGoal({ goal, ratio, ours }: Row): number | null {
  const [, kind, bound = '', unit] = /^([<>])= ([\d.]+)(?: (.*))?$/.exec(goal) ?? []
  const figure = unit === undefined ? ratio : ours
  if (kind === undefined || figure === null || figure <= 0 || Number(bound) <= 0) return null
  return kind === '<' ? figure / Number(bound) : Number(bound) / figure
}

/** Every row as a dot on a logarithmic scale, with the goal as a line. */
export function drawGoals(rows: readonly Row[], title: string): string {
  const shown = rows
    .flatMap((row) => {
      const share = shareOfGoal(row)
      return share === null ? [] : [{ row, share }]
    })
    .toSorted((one, other) => one.row.name.localeCompare(other.row.name, 'en', { numeric: true }))
  const exponents = shown.map(({ share }) => Math.log10(share))
  const low = Math.floor(Math.min(-1, ...exponents))
  const high = Math.ceil(Math.max(0.5, ...exponents) * 2) / 2
  const at = (share: number): number =>
    LABELS + ((Math.log10(share) - low) / (high - low)) * (WIDTH - LABELS - RIGHT)
  const height = TOP + shown.length * ROW + 30
  const bottom = height - 20
  const decades = Array.from({ length: Math.floor(high) - low + 1 }, (_, step) => 10 ** (low + step))
  const scale = decades.flatMap((value) => [
    line('grid', [at(value), TOP - 8], [at(value), bottom]),
    text(label(value), { x: at(value), y: TOP - 14, style: 'faint', anchor: 'middle' }),
  ])
  return renderSvg({ width: WIDTH, height, title }, [
    ...scale,
    line('goal', [at(1), TOP - 8], [at(1), bottom]),
    text('goal', { x: at(1) + 5, y: bottom + 12, style: 'ink' }),
    ...shown.flatMap(({ row, share }, index) => drawRow(row, at(share), TOP + 6 + index * ROW)),
  ])
}

/** Met rows are round and missed ones angular, for those who see no difference in colour. */
function drawRow({ name, met, ratio, ours, unit, goal }: Row, x: number, y: number): readonly string[] {
  const figure = ratio === null || goal.endsWith(unit) ? `${ours} ${unit}` : String(ratio)
  // Away from the line of the goal.
  const beside = met ? ({ x: x - 10, anchor: 'end' } as const) : ({ x: x + 10, anchor: 'start' } as const)
  const shape = met
    ? `<circle class="a" cx="${tidy(x)}" cy="${y}" r="${DOT}"/>`
    : `<path class="b" d="M${tidy(x)} ${y - 6}l6 6l-6 6l-6-6z"/>`
  const words = name.replaceAll('`', '')
  const short = words.length > MOST_LETTERS ? `${words.slice(0, MOST_LETTERS - 1)}…` : words
  return [
    text(short, { x: 16, y: y + 4, style: 'ink' }),
    shape,
    text(figure, { ...beside, y: y + 4, style: 'faint' }),
  ]
}
