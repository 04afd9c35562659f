import { appendFileSync } from 'node:fs'
import fc from 'fast-check'
import { HARDENING_SEED } from './harness/long-run.ts'
import { nameLaw } from './harness/name-law.ts'

/** Where the laboratory wants to know how many values were tried. */
const counts = process.env['LABORATORY_VALUES'] ?? ''

/** Fails as always, and counts before. */
const count = <T>(out: fc.RunDetails<T>): void => {
  appendFileSync(counts, `${out.numRuns}\t${nameLaw()}\n`)
  if (out.failed) throw new Error(fc.defaultReportMessage(out), { cause: out.errorInstance })
}

// Properties begin where all random choices do, so that a run can be repeated.
fc.configureGlobal({
  ...fc.readConfigureGlobal(),
  seed: HARDENING_SEED,
  ...(counts === '' ? {} : { reporter: count }),
})
