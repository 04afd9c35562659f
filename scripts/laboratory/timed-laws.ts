import { readFileSync } from 'node:fs'
import * as real from '../../node_modules/fast-check/lib/fast-check.js'
import { nameLaw } from '../../test/harness/name-law.ts'
import type { LawCounts } from './record.ts'

// Stands in for fast-check where the laboratory gives every law the same time, instead of a number of values.
const LAW_MS = Number(process.env['LABORATORY_LAW_MS'] ?? 0)
/** What a law is to be tried with in all. */
const ENOUGH_VALUES = 1_000_000
/** What a law that has had as many is still tried with. */
const FEW_VALUES = 100
const KNOWN = process.env['LABORATORY_KNOWN'] ?? ''
const known: LawCounts = KNOWN === '' ? {} : (JSON.parse(readFileSync(KNOWN, 'utf8')) as LawCounts)

/** A law that names its own seed is tried as it says. */
const timed = <T>(params: real.Parameters<T> = {}): real.Parameters<T> => {
  if (params.seed !== undefined) return params
  const numRuns = Math.max(FEW_VALUES, ENOUGH_VALUES - (known[nameLaw()] ?? 0))
  return { ...params, numRuns, interruptAfterTimeLimit: LAW_MS, markInterruptAsFailure: false }
}

/** Tries a law for as long as it may take. */
export const assert: typeof real.assert = ((
  property: Parameters<typeof real.assert>[0],
  params?: real.Parameters<unknown>,
) => real.assert(property, timed(params))) as typeof real.assert

export * from '../../node_modules/fast-check/lib/fast-check.js'
export default { ...real, assert }
