import type { Engine, Run } from '../engine.ts'
import type { Received } from '../step.ts'
import { consultGates } from './consult-gates.ts'
import { findStarts } from './find-starts.ts'

/** Does the asynchronous work that judging these calls depends on; undefined if there is none. */
export function prepareJudging(calls: readonly Received[], run: Run): Promise<void> | undefined {
  const preparing = prepareShell(calls, run.engine)
  if (preparing === undefined) return prepareAgain(calls, run)
  return preparing.then(() => prepareAgain(calls, run))
}

/** Does the part of it that may have changed when a call is judged a second time. */
export function prepareAgain(calls: readonly Received[], run: Run): Promise<void> | undefined {
  const finding = findStarts(calls, run)
  return finding === undefined ? consultGates(calls, run) : finding.then(() => consultGates(calls, run))
}

/** Does the same for the tools that the runtime may have to run before the end of a turn. */
export function prepareRequired({ engine }: Run): Promise<void> | undefined {
  return prepareShell([], engine)
}

/** Detects the sandbox if any of these calls, or a tool that rules require before them or before the end, starts a command. */
function prepareShell(
  calls: readonly { readonly name: string }[],
  { registry, rules, shell }: Engine,
): Promise<void> | undefined {
  const { startTools, exitRules } = rules.book
  const startsProcess = (name: string): boolean => registry.find(name)?.effect === 'spawn'
  const isNeeded =
    calls.some(({ name }) => startsProcess(name)) ||
    startTools.some(startsProcess) ||
    exitRules.some(({ tool }) => startsProcess(tool))
  return isNeeded ? shell.ready() : undefined
}
