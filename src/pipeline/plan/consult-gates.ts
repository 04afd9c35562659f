import type { Settings } from '../../config/keys.ts'
import type { GateSetting } from '../../config/kinds/gates-kind.ts'
import type { JsonObject } from '../../core/json/value.ts'
import type { Tool } from '../../core/tool.ts'
import { applyingGates } from '../../policy/external/external-gate.ts'
import { readGateReply } from '../../policy/external/gate-answer.ts'
import type { GateAnswer } from '../../policy/external/gate-answer.ts'
import type { LastingFacts, PassingFacts } from '../../policy/facts.ts'
import { BEFORE_EXTERNAL_GATES } from '../../policy/gates/gates.ts'
import { judge } from '../../policy/judge.ts'
import type { GateRunner } from '../memory/gate-runner.ts'
import type { Run } from '../engine.ts'
import { findTool, gatherFacts, readCall } from './gather-facts.ts'
import { UNGRANTED } from '../memory/grants.ts'
import { folderBeside, summarise } from './summarise.ts'
import type { Received } from '../step.ts'

/** Whether a gate is asked at all does not depend on passing facts. */
const NOT_GATHERED: PassingFacts = {
  shell: null,
  extraPaths: [],
  ...UNGRANTED,
  rules: null,
  gates: null,
  resources: null,
}

/** Asks the configured external gates about calls in advance: judging is synchronous and cannot wait for programs. */
export function consultGates(calls: readonly Received[], run: Run): Promise<void> | undefined {
  const { engine } = run
  const { gateRunner } = engine
  return gateRunner === null ? undefined : askGates(calls, gateRunner, run)
}

async function askGates(calls: readonly Received[], gateRunner: GateRunner, run: Run): Promise<void> {
  const { engine } = run
  for (const call of calls) {
    const tool = findTool(call, run)
    if (tool === null) continue
    const gates = applyingGates(engine.settings['tools.gates'], call.name)
    if (gates.length === 0) continue
    // Gates are not asked about calls that are refused without them.
    const reading = readCall(tool, call, engine)
    const facts = gatherFacts({ call, tool, reading }, { position: 1, sameId: 1 }, NOT_GATHERED, run)
    if (judge(facts, engine.settings, { gates: BEFORE_EXTERNAL_GATES }).verdict === 'settle') continue
    const input = JSON.stringify(describeCall(call, tool, facts, run))
    if (gateRunner.answered.get(call)?.input === input) continue
    gateRunner.answered.set(call, { input, answers: await askInTurn(gates, input, gateRunner, run.signal) })
  }
}

/** Stops at the first denial. */
async function askInTurn(
  gates: readonly GateSetting[],
  input: string,
  { ask }: GateRunner,
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

/** The input of a gate. */
function describeCall(call: Received, tool: Tool, facts: LastingFacts, run: Run): JsonObject {
  const folder = folderBeside(tool, call)
  return {
    tool: tool.name,
    version: tool.version,
    arguments: call.args,
    ...(folder === null ? {} : { cwd: folder }),
    effect: facts.tool?.effect ?? tool.effect,
    risk: facts.tool?.risk ?? tool.risk,
    claims: describeClaims(facts.claims),
    summary: summaryOf(tool, call, run.engine.settings),
    session: run.log.key.name,
    origin: run.origin,
    root: run.log.key.root,
    dry_run: run.isDryRun,
  }
}

/**
 * The paths of a call. A call that changes a folder claims only that, and changes everything in it; where it puts a
 * folder that it moves, nothing is there yet.
 */
function describeClaims(claims: LastingFacts['claims']): readonly JsonObject[] {
  const changesFolder = claims.some(({ claim, isFolder }) => isFolder && claim.intent === 'write')
  return claims.map(({ claim, absolute, isFolder }) => ({
    ...claim,
    resolved: absolute,
    folder: isFolder || (changesFolder && claim.intent === 'write'),
  }))
}

/** A summary that fails is reported when the approver is asked; gates get the tool's name instead. */
function summaryOf(tool: Tool, call: Received, settings: Settings): string {
  try {
    return summarise(tool, call, settings)
  } catch {
    return tool.name
  }
}
