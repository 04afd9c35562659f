import { ToolFailure } from '../core/error.ts'
import type { Phase, ToolError } from '../core/error.ts'
import type { JsonObject } from '../core/json/value.ts'
import { byteLength } from '../core/text/truncate.ts'
import type { Claim, Tool } from '../core/tool.ts'
import type { CallFacts, ClaimFact, ToolFact } from '../policy/facts.ts'
import { judge } from '../policy/judge.ts'
import type { Judgement } from '../policy/judge.ts'
import { crashError } from './crash.ts'
import type { House, Run } from './house.ts'
import type { Received } from './receive.ts'

/** A call with what the gates said about it. */
export interface Step {
  readonly call: Received
  readonly tool: Tool | null
  readonly facts: CallFacts
  readonly judgement: Judgement
  /** How far the call had come when it was settled; it had not begun if absent. */
  readonly phase?: Phase
}

/** Judges every call of a batch before any of them runs. */
export function plan(calls: readonly Received[], house: House, run: Run): readonly Step[] {
  const ids = new Map<string, number>()
  for (const { id } of calls) ids.set(id, (ids.get(id) ?? 0) + 1)
  return calls.map((call, index) => judgeCall(call, index + 1, ids.get(call.id) ?? 1, house, run))
}

/** Gathers the facts of one call and judges them; the door of execution does the same again. */
export function judgeCall(call: Received, position: number, sameId: number, house: House, run: Run): Step {
  const { tool, facts } = gatherFacts(call, position, sameId, house, run)
  return { call, tool, facts, judgement: judge(facts, house.settings) }
}

function gatherFacts(
  call: Received,
  position: number,
  sameId: number,
  house: House,
  run: Run,
): { tool: Tool | null; facts: CallFacts } {
  const { registry } = house
  const tool = call.envelope.length === 0 ? registry.find(call.name) : null
  const argumentProblems = tool === null ? [] : findArgumentProblems(tool, call, house)
  const isUsable = tool !== null && argumentProblems.length === 0
  const reading = isUsable ? readArguments(tool, call, house) : { toolFact: null, claims: [], error: null }
  return {
    tool,
    facts: {
      origin: run.origin,
      isDryRun: run.isDryRun,
      name: call.name,
      available: registry.names,
      nearestName: tool === null ? (registry.successor(call.name) ?? registry.nearest(call.name)) : null,
      position,
      sameId: call.id === '' ? 1 : sameId,
      envelope: call.envelope,
      ...measure(call, tool, house),
      tool:
        tool === null
          ? null
          : (reading.toolFact ?? { ...tool, requiresApproval: tool.alwaysRequiresApproval }),
      argumentProblems,
      argumentError: reading.error,
      claims: reading.claims,
    },
  }
}

function findArgumentProblems(tool: Tool, call: Received, house: House): readonly string[] {
  if (call.problems.length > 0) return call.problems
  const problems = house.validation.of(tool.inputSchema)(call.args, 'args')
  if (problems.length > 0) return problems
  const objection = tool.check(call.args, house.settings)
  return objection === null ? [] : [objection]
}

interface Reading {
  readonly toolFact: ToolFact | null
  readonly claims: readonly ClaimFact[]
  readonly error: ToolError | null
}

/** Asks the tool what the arguments mean: effect, risk, and the paths it will touch. */
function readArguments(tool: Tool, call: Received, house: House): Reading {
  const { args } = call
  try {
    const toolFact: ToolFact = {
      name: tool.name,
      version: tool.version,
      effect: tool.effectOf(args),
      risk: tool.riskOf(args),
      requiresApproval: tool.requiresApproval(args),
    }
    const { cwd } = call.meta
    const claimed: readonly Claim[] =
      cwd === undefined ? tool.claims(args) : [{ path: cwd, intent: 'list' }, ...tool.claims(args)]
    const claims = claimed.map((claim): ClaimFact => {
      const located = house.workspace.locate(claim)
      if (located.ok) return { claim, resolved: located.display, absolute: located.absolute, error: null }
      // What only the I/O can find out, such as a loop of links, is left to the I/O.
      return {
        claim,
        resolved: null,
        absolute: null,
        error: located.error.code === 'execution_failed' ? null : located.error,
      }
    })
    return { toolFact, claims, error: null }
  } catch (thrown) {
    return {
      toolFact: null,
      claims: [],
      error: thrown instanceof ToolFailure ? thrown.error : crashError(tool.name, thrown),
    }
  }
}

function measure(
  call: Received,
  tool: Tool | null,
  house: House,
): Pick<CallFacts, 'argsBytes' | 'oversized'> {
  if (call.problems.length > 0) return { argsBytes: 0, oversized: [] }
  const big = tool?.bigArguments ?? {}
  const oversized: CallFacts['oversized'][number][] = []
  const small: Record<string, JsonObject[string]> = {}
  for (const [argument, value] of Object.entries(call.args)) {
    const key = Object.hasOwn(big, argument) ? big[argument] : undefined
    if (key === undefined || typeof value !== 'string') {
      small[argument] = value
      continue
    }
    const bytes = byteLength(value)
    const limit = Number((house.settings as Readonly<Record<string, unknown>>)[key])
    if (bytes > limit) oversized.push({ argument, bytes, key, limit })
  }
  return { argsBytes: byteLength(JSON.stringify(small)), oversized }
}
