import * as real from '../../node_modules/fast-check/lib/fast-check.js'

// Stands in for fast-check where the laboratory gives every law the same time, instead of a number of values.
const LAW_MS = Number(process.env['LABORATORY_LAW_MS'] ?? 0)
/** What a law is to be tried with at most at a time. */
const MOST_VALUES = 1_000_000

/** A law that names its own seed is tried as it says. */
const timed = <T>(params: real.Parameters<T> = {}): real.Parameters<T> =>
  params.seed === undefined
    ? { ...params, numRuns: MOST_VALUES, interruptAfterTimeLimit: LAW_MS, markInterruptAsFailure: false }
    : params

/** Tries a law for as long as it may take. */
export const assert: typeof real.assert = ((
  property: Parameters<typeof real.assert>[0],
  params?: real.Parameters<unknown>,
) => real.assert(property, timed(params))) as typeof real.assert

export * from '../../node_modules/fast-check/lib/fast-check.js'
export default { ...real, assert }
