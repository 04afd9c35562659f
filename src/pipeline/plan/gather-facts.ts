import { failure } from '../../core/error.ts'
import type { ToolFailure } from '../../core/error.ts'
import { describeProblem } from '../../core/json/problem.ts'
import { scanJsonValue } from '../../core/json/scan-value.ts'
import { MAX_DEPTH } from '../../core/json/value.ts'
import type { JsonObject } from '../../core/json/value.ts'
import { byteLength } from '../../core/text/truncate.ts'
import type { Capability } from '../../core/capability.ts'
import type { Claim, Tool } from '../../core/tool.ts'
import type {
  CallFacts,
  ClaimFact,
  LastingFacts,
  MeasuredArgument,
  PassingFacts,
  ToolFact,
} from '../../policy/facts.ts'
import { errorFrom } from '../tool-crash.ts'
import { folderFault } from './folder-fault.ts'
import type { Engine, Run } from '../engine.ts'
import type { Received } from '../step.ts'

const NOTHING: readonly never[] = []

/** What a call means according to its tool. */
export type Reading = Pick<LastingFacts, 'tool' | 'argumentProblems' | 'argumentError' | 'claims'>

/** A call, its tool, and how the tool reads its arguments. */
export interface CallReading {
  readonly call: Received
  readonly tool: Tool | null
  readonly reading: Reading
}

/** The tool of a call, or null. */
export function findTool({ envelope, name }: Received, run: Run): Tool | null {
  return envelope.length === 0 && !isWithheld(name, run) ? run.engine.registry.find(name) : null
}

/** Whether a delegated conversation was not given a tool; what the runtime runs by itself is not its choice. */
function isWithheld(name: string, { only, origin }: Run): boolean {
  return only !== null && origin === 'model' && !only.has(name)
}

/** Collects what is known about a call: from the call, its tool and the workspace, plus the passing facts. */
export function gatherFacts(
  { call, tool, reading }: CallReading,
  { position, sameId }: Pick<LastingFacts, 'position' | 'sameId'>,
  passing: PassingFacts,
  run: Run,
): CallFacts {
  const { engine } = run
  const { argsBytes, separateArguments, oversized } = measure(call, tool, engine)
  const { available, nearestName, lookupAdvice } = lookUp(call, tool, run)
  return {
    origin: run.origin,
    isDryRun: run.isDryRun,
    name: call.name,
    available,
    nearestName,
    lookupAdvice,
    isWithheld: isWithheld(call.name, run),
    lacksConversation: lacksConversation(tool, run),
    position,
    isFenced: call.isFenced === true,
    iteration: run.iteration,
    id: call.id,
    sameId: call.id === '' ? 1 : sameId,
    envelope: call.envelope,
    argsBytes,
    separateArguments,
    oversized,
    tool: reading.tool,
    argumentProblems: reading.argumentProblems,
    argumentError: reading.argumentError,
    claims: reading.claims,
    shell: passing.shell,
    extraPaths: passing.extraPaths,
    grant: passing.grant,
    ignoredGrants: passing.ignoredGrants,
    changedStart: passing.changedStart,
    rules: passing.rules,
    gates: passing.gates,
    resources: passing.resources,
  }
}

/** Whether only a conversation could carry a tool out, and there is none. */
function lacksConversation(tool: Tool | null, { delegating, isContinued }: Run): boolean {
  return tool?.converses === true && delegating === null && !isContinued
}

/** What to tell about a tool that is not there; of those that were not given, nothing. */
function lookUp(
  { name }: Received,
  tool: Tool | null,
  run: Run,
): Pick<LastingFacts, 'available' | 'nearestName' | 'lookupAdvice'> {
  const { only } = run
  const { registry } = run.engine
  if (only !== null) return { available: [...only].toSorted(), nearestName: null, lookupAdvice: NOTHING }
  return {
    available:
      tool === null
        ? registry.listed.filter((one) => !lacksConversation(registry.find(one), run))
        : registry.listed,
    nearestName: tool === null ? (registry.successor(name) ?? registry.nearest(name)) : null,
    lookupAdvice: tool === null ? registry.advise(name) : NOTHING,
  }
}

function findArgumentProblems(tool: Tool, call: Received, engine: Engine): readonly string[] {
  if (call.problems.length > 0) return call.problems
  const maxDepth = engine.settings['tools.max_tool_args_depth']
  // Parsing already enforced the widest limit.
  const tooDeep = maxDepth < MAX_DEPTH ? scanJsonValue(call.args, { maxDepth }) : NOTHING
  if (tooDeep.length > 0) return tooDeep.map(describeProblem)
  const problems = engine.validation.of(tool.inputSchema)(call.args, 'args')
  if (problems.length > 0) return problems
  const objection = tool.check(call.args, engine.settings)
  return objection === null ? NOTHING : [objection]
}

const NO_TOOL: Reading = { tool: null, argumentProblems: NOTHING, argumentError: null, claims: NOTHING }

/**
 * Reads the arguments with the tool's own code, which may throw. A working folder that is not there yet may be made by
 * an earlier call of the batch; it is then looked for again when the call runs.
 */
export function readCall(
  tool: Tool | null,
  call: Received,
  engine: Engine,
  mayFolderCome: boolean = false,
): Reading {
  if (tool === null) return NO_TOOL
  try {
    const argumentProblems = findArgumentProblems(tool, call, engine)
    if (argumentProblems.length === 0) {
      const reading = readArguments(tool, call, engine)
      const fault = folderFault(call, engine)
      const isRefused = fault !== null && !(fault.isMissing && mayFolderCome)
      return isRefused ? { ...reading, argumentError: fault.error } : reading
    }
    return { tool: describeUnread(tool, engine), argumentProblems, argumentError: null, claims: NOTHING }
  } catch (thrown) {
    const argumentError = errorFrom(tool.name, thrown)
    return { tool: describeUnread(tool, engine), argumentProblems: NOTHING, argumentError, claims: NOTHING }
  }
}

/** A tool whose arguments are invalid is judged by its declaration alone. */
function describeUnread(tool: Tool, engine: Engine): ToolFact {
  const { name, version, effect, risk, capabilities } = tool
  const requiresApproval = tool.alwaysRequiresApproval
  const lasting = { capabilities, isSandboxed: isSandboxed(engine) }
  const unread = { command: null, extraAccess: null, webAddress: null }
  return { name, version, effect, risk, requiresApproval, ...lasting, ...unread }
}

/** Asks the tool what the arguments mean: effect, risk, and the paths it will touch. */
function readArguments(tool: Tool, { args, meta }: Received, engine: Engine): Reading {
  const extraAccess = tool.extraAccess(args)
  const fact: ToolFact = {
    name: tool.name,
    version: tool.version,
    effect: tool.effectOf(args),
    risk: tool.riskOf(args, isSandboxed(engine)),
    requiresApproval: tool.requiresApproval(args),
    capabilities: extraAccess?.network === true ? withNetwork(tool.capabilities) : tool.capabilities,
    isSandboxed: isSandboxed(engine),
    command: tool.command(args),
    extraAccess,
    webAddress: tool.webAddress(args),
  }
  const { cwd } = meta
  const claimed = tool.claims(args)
  if (cwd !== undefined && claimed.length > 0 && tool.rebase === null) throw cannotStartThere(tool.name)
  const all: readonly Claim[] = cwd === undefined ? claimed : [{ path: cwd, intent: 'list' }, ...claimed]
  const claims = all.length === 0 ? NOTHING : all.map((claim) => locate(claim, engine))
  return { tool: fact, argumentProblems: NOTHING, argumentError: null, claims }
}

/** A command with network needs what a tool that connects by itself would declare. */
function withNetwork(declared: readonly Capability[]): readonly Capability[] {
  return declared.includes('network.connect') ? declared : [...declared, 'network.connect']
}

/** The paths of such a tool would be looked for in the root, which the caller did not mean. */
function cannotStartThere(tool: string): ToolFailure {
  return failure('bad_args', `${tool} cannot start in another folder.`, { argument: 'meta.cwd' }, [
    'Leave out meta.cwd, and write its paths from the root.',
  ])
}

/** Where a claimed path leads, or why it is refused. */
export function locate(claim: Claim, engine: Engine): ClaimFact {
  const located = engine.workspace.locate(claim)
  if (located.ok) {
    const { display: resolved, absolute, kind } = located
    return { claim, resolved, absolute, isFolder: kind === 'dir', error: null }
  }
  // Faults that only I/O can find, such as a loop of links, are left to the I/O.
  const error = located.error.code === 'execution_failed' ? null : located.error
  return { claim, resolved: null, absolute: null, isFolder: false, error }
}

function measure(
  call: Received,
  tool: Tool | null,
  engine: Engine,
): Pick<LastingFacts, 'argsBytes' | 'separateArguments' | 'oversized'> {
  if (call.problems.length > 0) return { argsBytes: 0, separateArguments: NOTHING, oversized: NOTHING }
  const big = tool?.bigArguments ?? null
  if (big === null) return { argsBytes: call.onRecord.bytes, separateArguments: NOTHING, oversized: NOTHING }
  const separateArguments: MeasuredArgument[] = []
  const small: Record<string, JsonObject[string]> = {}
  for (const [argument, value] of Object.entries(call.args)) {
    const key = Object.hasOwn(big, argument) ? big[argument] : undefined
    if (key === undefined || typeof value !== 'string') {
      small[argument] = value
      continue
    }
    const bytes = byteLength(value)
    const limit = Number((engine.settings as Readonly<Record<string, unknown>>)[key])
    separateArguments.push({ argument, bytes, key, limit })
  }
  const oversized = separateArguments.filter(({ bytes, limit }) => bytes > limit)
  return { argsBytes: byteLength(JSON.stringify(small)), separateArguments, oversized }
}

/** Whether a command would run sandboxed, without network. */
function isSandboxed(engine: Engine): boolean {
  const status = engine.shell.status()
  return status.holds && status.isSandboxed
}
