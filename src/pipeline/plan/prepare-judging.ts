import type { Engine, Run } from '../engine.ts'
import type { Received } from '../step.ts'
import { consultGates } from './consult-gates.ts'

/** Does the asynchronous work that judging these calls depends on; undefined if there is none. */
export function prepareJudging(calls: readonly Received[], run: Run): Promise<void> | undefined {
  const preparing = prepareShell(calls, run.engine)
  if (preparing === undefined) return consultGates(calls, run)
  return preparing.then(() => consultGates(calls, run))
}

/** Detects the sandbox if any of these calls starts a command. */
function prepareShell(
  calls: readonly { readonly name: string }[],
  { registry, shell }: Engine,
): Promise<void> | undefined {
  return calls.some(({ name }) => registry.find(name)?.effect === 'spawn') ? shell.ready() : undefined
}
