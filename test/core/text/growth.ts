const SMALL_UNITS = 16_384
const TIMES_LARGER = 8
const MAX_ROUNDS = 40

/** Between 8, for linear time, and 64, for quadratic. */
export const LINEAR_AT_MOST = 28

const timeMs = (run: () => unknown): number => {
  const start = performance.now()
  run()
  return performance.now() - start
}

/**
 * How many times longer a text of eight times the size takes. Noise only ever adds, so the least of
 * several rounds counts, and it stops as soon as the growth is seen to be linear; quadratic growth stays in every round.
 */
export const measureGrowth = (run: (text: string) => unknown, unit: string): number => {
  const small = unit.repeat(Math.ceil(SMALL_UNITS / unit.length))
  const large = small.repeat(TIMES_LARGER)
  run(small)
  let leastSmall = Number.POSITIVE_INFINITY
  let leastLarge = Number.POSITIVE_INFINITY
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    leastSmall = Math.min(
      leastSmall,
      Math.max(
        timeMs(() => run(small)),
        50,
      ),
    )
    leastLarge = Math.min(
      leastLarge,
      timeMs(() => run(large)),
    )
    if (leastLarge / leastSmall < LINEAR_AT_MOST) break
  }
  return leastLarge / leastSmall
}
