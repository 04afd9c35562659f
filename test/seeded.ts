import fc from 'fast-check'
import { HARDENING_SEED } from './harness/long-run.ts'

// Properties begin where all random choices do, so that a run can be repeated.
fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: HARDENING_SEED })
