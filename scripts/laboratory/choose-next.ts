import type { Part } from './parts.ts'
import type { Tried } from './record.ts'

/** A unit that is being tried. */
export interface Begun {
  readonly part: Part
  readonly unit: number
  /** Since when, in milliseconds since the epoch. */
  readonly since: number
}

export type SourcesOf = (part: Part) => string

/** Whether a unit of this part was tried on what it would be tried on now. */
export function isCurrent(one: Tried, part: Part, sources: SourcesOf): boolean {
  return one.part === part.name && one.sources === sources(part)
}

/** What is known of the units when the next one is chosen. */
export interface Progress {
  /** What was tried in earlier runs. */
  readonly before: readonly Tried[]
  /** What was tried in this one. */
  readonly now: readonly Tried[]
  readonly begun: readonly Begun[]
}

/**
 * The next unit: of the part that is furthest behind its share of the time, first those that have never succeeded; null
 * if all units were tried on the present sources, or are being tried.
 */
export function chooseNext(
  parts: readonly Part[],
  { before, now, begun }: Progress,
  sources: SourcesOf,
): readonly [Part, number] | null {
  const left = parts.flatMap((part) => {
    const own = [...before, ...now].filter((one) => one.part === part.name)
    const busy = begun.filter((one) => one.part.name === part.name)
    const taken = new Set(own.flatMap((one) => (isCurrent(one, part, sources) ? [one.unit] : [])))
    for (const { unit } of busy) taken.add(unit)
    const good = new Set(own.flatMap(({ unit, isGood }) => (isGood ? [unit] : [])))
    const open = Array.from({ length: part.units }, (_, index) => index).filter((unit) => !taken.has(unit))
    const unit = open.find((one) => !good.has(one)) ?? open[0]
    if (unit === undefined) return []
    const seconds = now.reduce((sum, one) => sum + (one.part === part.name ? one.seconds : 0), 0)
    const atWork = busy.reduce((sum, { since }) => sum + (Date.now() - since) / 1000, 0)
    return [{ part, unit, isNew: !good.has(unit), had: (seconds + atWork) / part.share, atOnce: busy.length }]
  })
  const [first] = left.toSorted(
    (a, b) => Number(b.isNew) - Number(a.isNew) || a.had - b.had || a.atOnce - b.atOnce,
  )
  return first === undefined ? null : [first.part, first.unit]
}
