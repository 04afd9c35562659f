import { shellWord } from '../../../core/command/shell-word.ts'
import type { JsonObject } from '../../../core/json/value.ts'
import { isJsonObject } from '../../../core/json/value.ts'
import type { Tool } from '../../../core/tool.ts'
import type { SettledEntry } from '../../../journal/entries/entry.ts'
import { readStored } from '../../../journal/folds/read-result.ts'
import type { SessionLog } from '../../../journal/log.ts'
import type { Engine } from '../../engine.ts'
import { isUnverified } from '../../log-doubt.ts'
import { readAgain } from '../../parse/read-batch.ts'
import { summarise } from '../../plan/summarise.ts'
import { isCompensationOpen } from './compensable.ts'

/** What planning needs to know about tools. */
export type ToolFacts = Pick<Engine, 'registry' | 'settings' | 'validation'>

/** What a call did outside the files, which its tool can take back. */
export interface Compensation {
  readonly call: string
  readonly tool: Tool
  readonly args: JsonObject
  readonly output: JsonObject
  /** What the call did, in one line. */
  readonly summary: string
}

/** What the tools of these calls are given to take back what they did, or why one of them cannot be asked to. */
export function planCompensations(
  calls: readonly SettledEntry[],
  log: SessionLog,
  facts: ToolFacts,
): readonly Compensation[] | string {
  const planned: Compensation[] = []
  for (const call of calls) {
    const one = planCompensation(call, log, facts)
    if (typeof one === 'string') return one
    planned.push(one)
  }
  return planned
}

function planCompensation(settled: SettledEntry, log: SessionLog, facts: ToolFacts): Compensation | string {
  const { execution, name } = settled
  const call = shellWord(execution)
  const about = log.about(execution)
  if (isCompensationOpen(about))
    return `Nothing was changed: ${name} began to take back what ${call} did, and how that ended is not on record. Look at what it did; it is not begun again.`
  const asked = about.find(({ entry }) => entry.kind === 'batch' && entry.batch === settled.batch)
  // What is done with these words is done outside, so another program must not have written them.
  if (asked?.entry.kind !== 'batch' || isUnverified(log, asked.seq))
    return `Nothing was changed: what the log says about ${call} was not recorded like that. Run tongs audit verify.`
  const calls = asked.entry.calls.filter((one) => one.execution === execution)
  const [received] = readAgain({ calls, origin: asked.entry.origin }, log, facts)
  const row = readStored(settled, calls, log.payload)
  if (received === undefined || received.problems.length > 0 || row?.ok !== true || !isJsonObject(row.result))
    return `Nothing was changed: what ${name} needs to take back ${call} was erased.`
  const tool = facts.registry.find(name)
  if (tool === null) return `Nothing was changed: there is no tool ${name} here to take back ${call}.`
  const { args } = received
  const output = row.result
  const [problem] = [
    ...facts.validation.of(tool.inputSchema)(args, 'args'),
    ...facts.validation.of(tool.outputSchema)(output, 'result'),
  ]
  if (problem !== undefined)
    return `Nothing was changed: ${name} cannot take back ${call}, which was of another version of it: ${problem}`
  return { call: execution, tool, args, output, summary: summarise(tool, received, facts.settings) }
}
