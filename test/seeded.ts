import { appendFileSync } from 'node:fs'
import { relative } from 'node:path'
import fc from 'fast-check'
import { expect } from 'vitest'
import { HARDENING_SEED } from './harness/long-run.ts'

/** Where the laboratory wants to know how many values were tried. */
const counts = process.env['LABORATORY_VALUES'] ?? ''

/** Fails as always, and counts before. */
const count = <T>(out: fc.RunDetails<T>): void => {
  const { testPath = '', currentTestName = '' } = expect.getState()
  const law = `${relative(process.cwd(), testPath)} ${currentTestName}`.replaceAll(/\s+/g, ' ')
  appendFileSync(counts, `${out.numRuns}\t${law}\n`)
  if (out.failed) throw new Error(fc.defaultReportMessage(out))
}

// Properties begin where all random choices do, so that a run can be repeated.
fc.configureGlobal({
  ...fc.readConfigureGlobal(),
  seed: HARDENING_SEED,
  ...(counts === ''
    ? {}
    : { reporter: count, asyncReporter: async (out: fc.RunDetails<unknown>) => count(out) }),
})
