import type { ToolError } from '../core/error.ts'
import { describeProblem } from '../core/json/problem.ts'
import { scanJsonValue } from '../core/json/scan-value.ts'
import { MAX_DEPTH } from '../core/json/value.ts'
import type { JsonObject } from '../core/json/value.ts'
import { byteLength } from '../core/text/truncate.ts'
import type { Claim, Tool } from '../core/tool.ts'
import type { ClaimFact, LastingFacts, MeasuredArgument, ToolFact } from '../policy/facts.ts'
import { errorFrom } from './crash.ts'
import type { House, Run } from './house.ts'
import type { Received } from './receive.ts'

/** What can be known of a call from itself, its tool and the workspace. */
export function gatherFacts(
  call: Received,
  position: number,
  sameId: number,
  house: House,
  run: Run,
): { tool: Tool | null; facts: LastingFacts } {
  const { registry } = house
  const tool = call.envelope.length === 0 ? registry.find(call.name) : null
  const reading = tool === null ? UNREAD : readCall(tool, call, house)
  return {
    tool,
    facts: {
      origin: run.origin,
      isDryRun: run.isDryRun,
      name: call.name,
      available: registry.names,
      nearestName: tool === null ? (registry.successor(call.name) ?? registry.nearest(call.name)) : null,
      position,
      ...(call.isFenced === true ? { isFenced: true } : {}),
      iteration: run.iteration,
      sameId: call.id === '' ? 1 : sameId,
      envelope: call.envelope,
      ...measure(call, tool, house),
      tool:
        tool === null
          ? null
          : (reading.toolFact ?? {
              ...tool,
              requiresApproval: tool.alwaysRequiresApproval,
              command: null,
              isSandboxed: isSandboxed(house),
              wishes: null,
            }),
      argumentProblems: reading.problems,
      argumentError: reading.error,
      claims: reading.claims,
    },
  }
}

function findArgumentProblems(tool: Tool, call: Received, house: House): readonly string[] {
  if (call.problems.length > 0) return call.problems
  const maxDepth = house.settings['tools.max_tool_args_depth']
  // Whatever came in was held to the widest of these limits when it was read.
  const tooDeep = maxDepth < MAX_DEPTH ? scanJsonValue(call.args, { maxDepth }) : NOTHING
  if (tooDeep.length > 0) return tooDeep.map(describeProblem)
  const problems = house.validation.of(tool.inputSchema)(call.args, 'args')
  if (problems.length > 0) return problems
  const objection = tool.check(call.args, house.settings)
  return objection === null ? [] : [objection]
}

/** What a call means, as far as its tool can say. */
interface Reading {
  readonly toolFact: ToolFact | null
  readonly claims: readonly ClaimFact[]
  readonly problems: readonly string[]
  readonly error: ToolError | null
}

const UNREAD: Reading = { toolFact: null, claims: [], problems: [], error: null }

/** Reads the arguments with the tool's own code, which may throw like all of it. */
export function readCall(tool: Tool, call: Received, house: House): Reading {
  try {
    const problems = findArgumentProblems(tool, call, house)
    return problems.length === 0 ? readArguments(tool, call, house) : { ...UNREAD, problems }
  } catch (thrown) {
    return { ...UNREAD, error: errorFrom(tool.name, thrown) }
  }
}

/** Asks the tool what the arguments mean: effect, risk, and the paths it will touch. */
function readArguments(tool: Tool, { args, meta }: Received, house: House): Reading {
  const toolFact: ToolFact = {
    name: tool.name,
    version: tool.version,
    effect: tool.effectOf(args),
    risk: tool.riskOf(args),
    requiresApproval: tool.requiresApproval(args),
    capabilities: tool.capabilities,
    isSandboxed: isSandboxed(house),
    command: tool.command(args),
    wishes: tool.wishes(args),
  }
  const { cwd } = meta
  const claimed: readonly Claim[] =
    cwd === undefined ? tool.claims(args) : [{ path: cwd, intent: 'list' }, ...tool.claims(args)]
  return { ...UNREAD, toolFact, claims: claimed.map((claim) => locate(claim, house)) }
}

/** Where a claimed path leads, or why it may not. */
export function locate(claim: Claim, house: House): ClaimFact {
  const located = house.workspace.locate(claim)
  if (located.ok) return { claim, resolved: located.display, absolute: located.absolute, error: null }
  // What only the I/O can find out, such as a loop of links, is left to the I/O.
  const error = located.error.code === 'execution_failed' ? null : located.error
  return { claim, resolved: null, absolute: null, error }
}

function measure(
  call: Received,
  tool: Tool | null,
  house: House,
): Pick<LastingFacts, 'argsBytes' | 'apart' | 'oversized'> {
  if (call.problems.length > 0) return { argsBytes: 0, oversized: NOTHING }
  const big = tool?.bigArguments
  if (big === undefined || Object.keys(big).length === 0)
    return { argsBytes: call.onRecord.bytes, oversized: NOTHING }
  const apart: MeasuredArgument[] = []
  const small: Record<string, JsonObject[string]> = {}
  for (const [argument, value] of Object.entries(call.args)) {
    const key = Object.hasOwn(big, argument) ? big[argument] : undefined
    if (key === undefined || typeof value !== 'string') {
      small[argument] = value
      continue
    }
    const bytes = byteLength(value)
    const limit = Number((house.settings as Readonly<Record<string, unknown>>)[key])
    apart.push({ argument, bytes, key, limit })
  }
  const oversized = apart.filter(({ bytes, limit }) => bytes > limit)
  return { argsBytes: byteLength(JSON.stringify(small)), apart, oversized }
}

const NOTHING: readonly never[] = []

/** Whether a command would be confined, without network. */
function isSandboxed(house: House): boolean {
  const standing = house.shell.standing()
  return standing.holds && standing.isSandboxed
}
