import { consultGates } from './consult-gates.ts'
import type { House, Run } from '../engine.ts'
import { readyShell } from './ready-shell.ts'
import type { Received } from '../parse/receive.ts'

/** Finds out what judging these calls cannot wait for; there is nothing to wait for where none of them needs it. */
export function prepareJudging(
  calls: readonly Received[],
  house: House,
  run: Run,
): Promise<void> | undefined {
  const readying = readyShell(calls, house)
  if (readying === undefined) return consultGates(calls, house, run)
  return readying.then(() => consultGates(calls, house, run))
}
