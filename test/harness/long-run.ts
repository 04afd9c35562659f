/** Whether tests try as much as the machine has time for, and not as much as a person waits for. */
const isLong = process.env['TONGS_LONG'] === '1'

/** How often something is tried: a few times by default, very often in a long run, or as `HARDENING_TRIES` says. */
export function triesOf(usual: number, long: number): number {
  const asked = process.env['HARDENING_TRIES']
  return asked === undefined ? (isLong ? long : usual) : Number(asked)
}

/** Whether every case is tried: in a long run, and where a planted bug has to be noticed. */
export const isThorough = isLong || process.env['EVERY_CASE'] === '1'

/** How often something is tried: a few times, other ones in every run, or as often as it takes to miss little. */
export function roundsOf(few: number, many: number): number {
  return isThorough ? many : few
}

/** Some of the cases in their order, others in every run; all of them where every case is tried. */
export function someOf<T>(cases: readonly T[], few: number): readonly T[] {
  if (isThorough || cases.length <= few) return cases
  const chosen = new Set(
    shuffled([...cases.keys()], chooserFrom(HARDENING_SEED + cases.length)).slice(0, few),
  )
  return cases.filter((_, at) => chosen.has(at))
}

/** Where the random choices of a run begin; a failure names its seed, and `HARDENING_SEED` repeats it. */
export const HARDENING_SEED = Number(process.env['HARDENING_SEED'] ?? Date.now() % 1e9)

/** A small generator of well-distributed numbers from 0 to below a limit (mulberry32). */
export function chooserFrom(seed: number): (limit: number) => number {
  let state = seed
  return (limit) => {
    state = (state + 0x6d_2b_79_f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296) * limit)
  }
}

/** The same items in another order. */
export function shuffled<T>(items: readonly T[], choose: (limit: number) => number): readonly T[] {
  const left = [...items]
  return items.flatMap(() => left.splice(choose(left.length), 1))
}
