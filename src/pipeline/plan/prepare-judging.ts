import type { Engine, Run } from '../engine.ts'
import type { Received } from '../step.ts'
import { consultGates } from './consult-gates.ts'

/** Finds out what judging these calls cannot wait for; undefined if none of them needs anything. */
export function prepareJudging(calls: readonly Received[], run: Run): Promise<void> | undefined {
  const readying = readyShell(calls, run.engine)
  if (readying === undefined) return consultGates(calls, run)
  return readying.then(() => consultGates(calls, run))
}

/** Finds out what confines commands if any of these calls starts one. */
function readyShell(
  calls: readonly { readonly name: string }[],
  { registry, shell }: Engine,
): Promise<void> | undefined {
  return calls.some(({ name }) => registry.find(name)?.effect === 'spawn') ? shell.ready() : undefined
}
