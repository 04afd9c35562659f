import { chooserFrom, shuffled } from './long-run.ts'

/** The tests of a file that may take turns. */
export interface Turns {
  /** In their order. */
  readonly titles: readonly string[]
  /** Which part of them runs at a time. */
  readonly part: number
  readonly seed: number
  /** The requirements that a title claims. */
  readonly idsOf: (title: string) => readonly string[]
}

/** Titles of tests that show that others would fail: these always run. */
const CONTROL = /^control: |^finds an? |^catches |\bis found out\b|\bwould (?:catch|notice)\b/

/**
 * The places of the tests that run now: every control, one test for each requirement that the file claims, and as many
 * others as make up the part; other ones with another seed, and never none.
 */
export function chooseTurns({ titles, part, seed, idsOf }: Turns): ReadonlySet<number> {
  const order = shuffled([...titles.keys()], chooserFrom(seed))
  const titleAt = (place: number): string => titles[place] ?? ''
  const chosen = new Set(order.filter((place) => CONTROL.test(titleAt(place))))
  const proven = new Set([...chosen].flatMap((place) => idsOf(titleAt(place))))
  for (const place of order) {
    const ids = idsOf(titleAt(place))
    if (ids.every((id) => proven.has(id))) continue
    chosen.add(place)
    for (const id of ids) proven.add(id)
  }
  const wanted = Math.max(1, Math.ceil(titles.length * part))
  for (const place of order) {
    if (chosen.size >= wanted) break
    chosen.add(place)
  }
  return chosen
}

/** Files of which only some run at a time. */
export interface Family {
  readonly files: readonly string[]
  readonly atOnce: number
}

/** The files of families whose turn it is not. */
export function sittingOut(families: readonly Family[], seed: number): readonly string[] {
  return families.flatMap(({ files, atOnce }) => shuffled(files, chooserFrom(seed)).slice(atOnce))
}
