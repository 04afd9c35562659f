import type { GateSetting } from '../config/kinds/gates-kind.ts'
import type { JsonObject } from '../core/json/value.ts'
import type { Tool } from '../core/tool.ts'
import { applyingGates } from '../policy/external/applying-gates.ts'
import { readGateReply } from '../policy/external/gate-answer.ts'
import type { GateAnswer } from '../policy/external/gate-answer.ts'
import type { LastingFacts, PassingFacts } from '../policy/facts.ts'
import { BEFORE_EXTERNAL_GATES } from '../policy/gates.ts'
import { judge } from '../policy/judge.ts'
import type { Gatekeeper } from './gatekeeper.ts'
import type { House, Run } from './house.ts'
import { gatherFacts } from './gather-facts.ts'
import { UNGRANTED } from './grant-keeper.ts'
import { summarise } from './question.ts'
import type { Received } from './receive.ts'

/** Nothing that passes is gathered to decide whether a gate is asked at all. */
const NOT_GATHERED: PassingFacts = {
  shell: null,
  wishedPaths: [],
  ...UNGRANTED,
  rules: null,
  gates: null,
  resources: null,
}

/** Asks the configured gates about calls beforehand, because judging cannot wait for programs. */
export async function consultGates(calls: readonly Received[], house: House, run: Run): Promise<void> {
  const { gatekeeper } = house
  if (gatekeeper === null) return
  for (const call of calls) {
    const { tool, facts } = gatherFacts(call, 1, 1, house, run)
    if (tool === null) continue
    const gates = applyingGates(house.settings['tools.gates'], call.name)
    if (gates.length === 0) continue
    // What is refused without them is none of their business.
    if (judge({ ...facts, ...NOT_GATHERED }, house.settings, BEFORE_EXTERNAL_GATES).verdict === 'settle')
      continue
    const input = JSON.stringify(describeCall(call, tool, facts, run))
    if (gatekeeper.heard.get(call)?.input === input) continue
    gatekeeper.heard.set(call, { input, answers: await askInTurn(gates, input, gatekeeper, run.signal) })
  }
}

/** After the first no the others need not be asked. */
async function askInTurn(
  gates: readonly GateSetting[],
  input: string,
  { ask }: Gatekeeper,
  signal: AbortSignal,
): Promise<readonly GateAnswer[]> {
  const answers: GateAnswer[] = []
  for (const gate of gates) {
    const answer = readGateReply(gate, signal.aborted ? { is: 'cancelled' } : await ask(gate, input, signal))
    answers.push(answer)
    if (answer.verdict === 'deny' || answer.verdict === 'cancelled') break
  }
  return answers
}

/** What a gate is told. */
function describeCall({ args }: Received, tool: Tool, facts: LastingFacts, run: Run): JsonObject {
  return {
    tool: tool.name,
    version: tool.version,
    arguments: args,
    effect: facts.tool?.effect ?? tool.effect,
    risk: facts.tool?.risk ?? tool.risk,
    claims: facts.claims.map(({ claim, absolute }) => ({ ...claim, resolved: absolute })),
    summary: summaryOf(tool, args),
    session: run.log.key.name,
    origin: run.origin,
    root: run.log.key.root,
    dry_run: run.isDryRun,
  }
}

/** A summary that fails is told where somebody is asked; a gate can do without. */
function summaryOf(tool: Tool, args: JsonObject): string {
  try {
    return summarise(tool, args)
  } catch {
    return tool.name
  }
}
