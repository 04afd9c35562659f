import { consultGates } from './consult-gates.ts'
import type { Run } from '../engine.ts'
import { readyShell } from './ready-shell.ts'
import type { Received } from '../step.ts'

/** Finds out what judging these calls cannot wait for; there is nothing to wait for where none of them needs it. */
export function prepareJudging(calls: readonly Received[], run: Run): Promise<void> | undefined {
  const { engine } = run
  const readying = readyShell(calls, engine)
  if (readying === undefined) return consultGates(calls, run)
  return readying.then(() => consultGates(calls, run))
}
