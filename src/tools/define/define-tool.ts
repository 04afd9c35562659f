import { CAPABILITIES, isCapability } from '../../core/capability.ts'
import type { Capability } from '../../core/capability.ts'
import { readIsolation } from '../../core/isolation.ts'
import type { IsolationSpec } from '../../core/isolation.ts'
import type { JsonObject } from '../../core/json/value.ts'
import { renderPlain } from '../../core/text/plain-value.ts'
import { findSchemaFaults, schemaDocument } from '../../schema/schema.ts'
import type { Effect, PowersOf, Presentation, Risk, Tool, ToolLimits } from '../../core/tool.ts'
import type { ToolSpec } from './tool-spec.ts'
import { isSemanticVersion } from '../../core/version.ts'

const NAME = /^[A-Za-z][A-Za-z0-9_.-]{0,63}$/

const RISK_OF: Readonly<Record<Effect, Risk>> = {
  read: 'Low',
  edit: 'Medium',
  spawn: 'High',
  external: 'High',
}

const EFFECT_ORDER: readonly Effect[] = ['read', 'edit', 'spawn', 'external']

/** The capabilities of each effect; a tool that declares none has these. */
const POWERS: Readonly<Record<Effect, readonly Capability[]>> = {
  read: ['filesystem.read'],
  edit: ['filesystem.read', 'filesystem.write', 'filesystem.delete'],
  spawn: ['filesystem.read', 'process.spawn'],
  external: ['filesystem.read', 'network.connect'],
}

const NO_CLAIMS: readonly never[] = []

/** Turns an author's description into a tool, or throws a TypeError that names what is wrong with it. */
export function defineTool<Input, Output, const E extends Effect>(spec: ToolSpec<Input, Output, E>): Tool {
  const where = `tool ${JSON.stringify(spec.name)}`
  if (!NAME.test(spec.name))
    throw new TypeError(`${where}: a name begins with a letter and has up to 64 of A-Z a-z 0-9 _ . -`)
  if (!isSemanticVersion(spec.version))
    throw new TypeError(`${where}: version ${JSON.stringify(spec.version)} is not like 1.2.3`)
  if (spec.description.trim() === '') throw new TypeError(`${where}: the description is empty`)
  if (!EFFECT_ORDER.includes(spec.effect))
    throw new TypeError(`${where}: effect must be one of ${EFFECT_ORDER.join(', ')}`)
  const capabilities = spec.capabilities ?? POWERS[spec.effect]
  for (const word of capabilities) {
    if (!isCapability(word))
      throw new TypeError(
        `${where}: unknown capability ${JSON.stringify(word)}; known are ${CAPABILITIES.join(', ')}`,
      )
  }
  const inputSchema = schemaDocument(spec.input)
  const outputSchema = schemaDocument(spec.output)
  for (const [side, document] of [
    ['input', inputSchema],
    ['output', outputSchema],
  ] as const) {
    const [fault] = findSchemaFaults(document)
    if (fault !== undefined)
      throw new TypeError(
        `${where}: ${side} schema ${fault.at === '' ? 'itself' : `at ${fault.at}`} ${fault.message}`,
      )
  }
  if ((spec.run === undefined) === (spec.isolate === undefined))
    throw new TypeError(`${where}: give it either run or isolate`)
  const isolate = spec.isolate === undefined ? null : readIsolation(spec.isolate)
  if (typeof isolate === 'string') throw new TypeError(`${where}: ${isolate}`)
  if (isolate !== null && spec.effect !== 'read' && spec.effect !== 'external')
    throw new TypeError(
      `${where}: an isolated tool is handed neither edits nor processes, so its effect is read or external`,
    )
  if (spec.compensate !== undefined && spec.effect !== 'external')
    throw new TypeError(
      `${where}: compensate takes back what a tool did outside, so its effect must be external; what it does to files is undone without it`,
    )
  // From here on the arguments have passed the input schema, so the author's types hold.
  const typed = (args: JsonObject): Input => args as unknown as Input
  const {
    effectOf,
    risk,
    requiresApproval,
    check,
    claims,
    rebase,
    command,
    extraAccess,
    webAddress,
    usual,
    summary,
    present,
    satisfies,
    hasFailed,
    reconcile,
    compensate,
  } = spec
  return {
    name: spec.name,
    version: spec.version,
    title: spec.title ?? spec.name,
    description: spec.description,
    effect: spec.effect,
    inputSchema,
    outputSchema,
    capabilities,
    limits: limitsOf(spec.limits ?? {}, spec.isolate),
    deterministic: spec.deterministic ?? false,
    idempotent: spec.idempotent ?? spec.effect === 'read',
    repeatable: spec.repeatable ?? spec.idempotent ?? spec.effect === 'read',
    groupable: spec.effect === 'edit' && spec.groupable === true,
    converses: spec.effect === 'read' && spec.converses === true,
    deprecated: spec.deprecated ?? null,
    guide: spec.guide ?? null,
    rare: spec.rare ?? [],
    slips: spec.slips ?? {},
    rules: spec.rules ?? [],
    risk: typeof risk === 'string' ? risk : RISK_OF[spec.effect],
    alwaysRequiresApproval: requiresApproval === true,
    bigArguments: spec.bigArguments ?? null,
    effectOf: (args) => (effectOf === undefined ? spec.effect : lower(spec.effect, effectOf(typed(args)))),
    riskOf: (args, isSandboxed = false) =>
      typeof risk === 'function' ? risk(typed(args), isSandboxed) : (risk ?? RISK_OF[spec.effect]),
    requiresApproval: (args) =>
      typeof requiresApproval === 'function' ? requiresApproval(typed(args)) : (requiresApproval ?? false),
    check: (args, settings) => check?.(typed(args), settings) ?? null,
    claims: (args) => claims?.(typed(args)) ?? NO_CLAIMS,
    rebase: rebase === undefined ? null : (args, move) => rebase(typed(args), move) as unknown as JsonObject,
    command: (args) => command?.(typed(args)) ?? null,
    extraAccess: (args) => extraAccess?.(typed(args)) ?? null,
    webAddress: (args) => webAddress?.(typed(args)) ?? null,
    usual: usual === undefined ? null : { ...usual, includes: (args) => usual.includes(typed(args)) },
    summary: (args, settings = {}) => (summary === undefined ? spec.name : summary(typed(args), settings)),
    present: presentation(present),
    satisfies: satisfies === undefined ? null : (output) => satisfies(output as unknown as Output),
    hasFailed: hasFailed === undefined ? null : (output) => hasFailed(output as unknown as Output),
    run: (args, powers) => {
      if (spec.run === undefined) throw new Error(`${spec.name} runs in a process of its own`)
      return spec.run(typed(args), powers as PowersOf[E])
    },
    isolate,
    reconcile: reconcile === undefined ? null : (key) => reconcile(key),
    compensate:
      compensate === undefined
        ? null
        : (args, output) => compensate(typed(args), output as unknown as Output),
    foreign: null,
  }
}

/** A tool in its own process is subject to the limits of that process too. */
function limitsOf(limits: ToolLimits, isolate: IsolationSpec | undefined): ToolLimits {
  if (isolate === undefined) return limits
  const { memoryBytes, timeoutMs } = isolate.limits
  const longest = Math.min(limits.maxExecutionTimeMs ?? Infinity, timeoutMs ?? Infinity)
  return {
    ...limits,
    maxMemoryBytes: memoryBytes,
    ...(longest === Infinity ? {} : { maxExecutionTimeMs: longest }),
  }
}

function lower(most: Effect, wanted: Effect): Effect {
  return EFFECT_ORDER.indexOf(wanted) < EFFECT_ORDER.indexOf(most) ? wanted : most
}

function presentation<Output>(given: Presentation<Output> | undefined): Presentation<JsonObject> {
  if (given === undefined) return { text: renderPlain, mayTruncate: false }
  const { mayTruncate, whole, isFixed } = given
  return {
    text: (output) => given.text(output as unknown as Output),
    mayTruncate:
      typeof mayTruncate === 'function' ? (output) => mayTruncate(output as unknown as Output) : mayTruncate,
    ...(isFixed === undefined ? {} : { isFixed }),
    ...(whole === undefined ? {} : { whole: (output) => whole(output as unknown as Output) }),
  }
}
