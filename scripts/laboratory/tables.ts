import type { Part } from './parts.ts'
import type { LawCounts, SweptUnit, Tried } from './record.ts'

/** The figures of all parts as one table; `sources` names those that each part would be tried on now. */
export function renderTable(
  parts: readonly Part[],
  tried: readonly Tried[],
  sources: (part: Part) => string,
): string {
  const rows = parts.map((part) => {
    const own = tried.filter((one) => one.part === part.name && one.unit < part.units)
    const good = own.filter(({ isGood }) => isGood)
    const now = good.filter((one) => one.sources === sources(part))
    const sum = (of: (one: Tried) => number): number => own.reduce((all, one) => all + of(one), 0)
    const days = [...new Set(own.map(({ day }) => day))].toSorted()
    return [
      part.name,
      `${good.length} of ${part.units}`,
      String(own.length - good.length),
      String(now.length),
      String(new Set(own.map((one) => one.sources)).size),
      String(sum(({ tests }) => tests)),
      String(sum(({ values }) => values)),
      String(Math.round(sum(({ seconds }) => seconds) / 60)),
      days.length > 1 ? `${days[0]} to ${days.at(-1)}` : (days[0] ?? ''),
      part.unit,
    ]
  })
  return renderRows(HEAD, rows)
}

const HEAD = [
  'part',
  'units',
  'failed',
  'on these sources',
  'states of the sources',
  'tests',
  'random values',
  'minutes',
  'tried',
  'a unit is',
]

/** What the sweeps covered: for each command its calls, the deaths and errors at them, and what broke. */
export function renderSweeps(tried: readonly Tried[]): string {
  const swept = tried.flatMap(({ sweep }) => (sweep === undefined ? [] : [sweep]))
  const rows = [...Map.groupBy(swept, ({ operation }) => operation)].map(([operation, units]) => {
    const sum = (kind: SweptUnit['kind'], of: (one: SweptUnit) => number): number =>
      units.reduce((all, one) => (one.kind === kind ? all + of(one) : all), 0)
    const calls = Object.values(units[0]?.calls ?? {}).reduce((all, count) => all + count, 0)
    const errors = units.find(({ kind }) => kind === 'errors')?.trials ?? 0
    return [
      operation,
      String(calls),
      String(Object.keys(units[0]?.calls ?? {}).length),
      `${sum('deaths', ({ tried: looked, same }) => looked + same)} (${sum('deaths', ({ tried: looked }) => looked)} different)`,
      `${sum('errors', ({ tried: met }) => met)} of ${errors}`,
      String(sum('errors', ({ missed }) => missed)),
      String(units.reduce((all, { stayed }) => all + stayed, 0)),
      String(units.reduce((all, { broken }) => all + broken.length, 0)),
    ]
  })
  return renderRows(
    ['command', 'calls', 'kinds of calls', 'deaths', 'errors', 'missed', 'folders left', 'broken'],
    rows,
  )
}

const MILLION = 1_000_000
/** So many laws with the fewest values are named. */
const FEWEST = 5

/** Says how many laws had a million values, and which had fewest. */
export function describeLaws(laws: LawCounts): string {
  const sorted = Object.entries(laws).toSorted((a, b) => a[1] - b[1])
  const enough = sorted.filter(([, values]) => values >= MILLION).length
  const lines = sorted.slice(0, FEWEST).map(([law, values]) => `- ${values}: ${law}`)
  const first = `${enough} of ${sorted.length} laws were tried with a million values or more.`
  return lines.length === 0 ? first : `${first} Those with the fewest:\n\n${lines.join('\n')}`
}

function renderRows(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return [head, head.map(() => '---'), ...rows].map((row) => `| ${row.join(' | ')} |`).join('\n')
}
