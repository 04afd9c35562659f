import { endWith } from '../core/error.ts'
import type { Phase, ToolError } from '../core/error.ts'
import type { Grant } from '../core/grant.ts'
import { settle } from '../core/lifecycle.ts'
import type { State, Trace } from '../core/lifecycle.ts'
import type { Tool } from '../core/tool.ts'
import type { ResourceUse } from '../core/resource-use.ts'
import type { Continuation, Execution, ToolResult } from '../core/result.ts'
import type { JsonObject, JsonValue } from '../core/json/value.ts'
import type { Content } from '../journal/content.ts'
import type { Attempt, Digest, SeenFile, SettledEntry } from '../journal/entry.ts'
import { continuationOf } from '../policy/rules/continuation.ts'
import { withPrerequisites } from '../policy/capabilities/capability-tree.ts'
import type { Prepared } from '../workspace/prepare.ts'
import type { Batch } from './declare.ts'
import type { House, Run } from './house.ts'
import { keep } from './recall.ts'
import { presentFailure, presentOutput, presentShielded } from './present.ts'
import type { Step } from './plan.ts'
import type { Received } from './receive.ts'

/** A call at its end, before it is written down. */
export interface Ending {
  readonly step: Step
  readonly trace: Trace
  readonly durationMs: number
  /** Attempts that failed before the one that counts. */
  readonly attempts?: readonly Attempt[]
  readonly end: Finish
  /** What is given instead, where secrets were taken out of it. */
  readonly shown?: Finish
  /** What the runtime ran before it; these rows stand before its own. */
  readonly ahead?: readonly ToolResult[]
}

/** The two ways a call ends. */
export type Finish =
  | {
      readonly ok: true
      readonly output: JsonObject
      readonly seen: readonly SeenFile[]
      readonly prepared: Prepared | null
      readonly stored: ReadonlyMap<string, JsonValue>
    }
  | {
      readonly ok: false
      readonly error: ToolError
      readonly seen: readonly SeenFile[]
      readonly phase: Phase
    }

/** A result with the entry that records it. */
export interface Answer {
  readonly call: Received
  readonly result: ToolResult
  readonly entry: SettledEntry
  /** Contents by digest: the result itself, and what the changes name. */
  readonly payloads: readonly (readonly [Digest, Content])[]
  readonly seen: readonly SeenFile[]
  /** Why it failed, with how far it had come; null where it did not. */
  readonly failure: { readonly error: ToolError; readonly phase: Phase } | null
}

const NOTHING: readonly never[] = []

/** Makes the one answer of a call. A result that cannot be shown within the limit becomes an error here. */
export function answer(
  ending: Ending,
  /** What the process used meanwhile, if the call was alone and somebody looked. */
  usage: ResourceUse | null,
  batch: Pick<Batch, 'id' | 'turn'>,
  maxBytes: number,
  house: House,
  run: Run,
): Answer {
  const { step } = ending
  const { call, tool } = step
  let { end } = ending
  let content = ''
  let output: Digest | null = null
  if (end.ok && tool !== null) {
    const shown = presentOutput(tool, end.output, maxBytes)
    if (shown.ok) {
      content = shown.content
      output = house.digest(shown.canonical)
    } else end = { ok: false, error: shown.error, seen: [], phase: 'running' }
  }
  // The record of what the tool returned is its digest above; from here on there is only what is given on.
  if (ending.shown !== undefined && ending.shown.ok === end.ok) {
    end = ending.shown
    if (end.ok && tool !== null) content = presentShielded(tool, end.output, maxBytes)
  }
  const at = house.clock.now()
  const trace = end.ok
    ? settle(ending.trace, 'COMPLETED', at)
    : endWith(ending.trace, end.error.code, end.phase, at)
  const grant = ending.trace.now === 'EXECUTING' ? step.judgement.grant : undefined
  const attempts = ending.attempts ?? NOTHING
  const durationMs = Math.round(ending.durationMs)
  const execution = describeExecution(call.execution, trace.now, durationMs, grant, attempts)
  const prepared = end.ok ? end.prepared : null
  const plain: ToolResult = end.ok
    ? { id: call.id, name: call.name, ok: true, result: end.output, content, execution }
    : presentFailure(call, end.error, end.phase, execution, maxBytes)
  const continuation = continuationOf(house.rules.book, call.name, call.wantsContinuation, end.ok)
  const warnings = end.ok ? warningsFor(tool, end.prepared) : NOTHING
  const result = withAsides(plain, run, continuation, warnings)
  const payload = JSON.stringify(result)
  const digest = house.digest(payload)
  const kept = end.ok && end.stored.size > 0 ? keep(end.stored, house.clock.now(), house.digest) : null
  const settled: SettledEntry = {
    kind: 'settled',
    batch: batch.id,
    turn: batch.turn,
    execution: call.execution,
    name: call.name,
    version: tool?.version ?? null,
    effect: step.facts.tool?.effect ?? null,
    moves: trace.moves,
    error: result.ok ? null : { code: result.error.code, class: result.error.class },
    result: digest,
    output,
    capabilities:
      tool === null || ending.trace.now !== 'EXECUTING' ? NOTHING : withPrerequisites(tool.capabilities),
    changes: prepared?.changes ?? NOTHING,
    gates: step.judgement.findings,
    durationMs,
  }
  const used = ending.trace.now === 'EXECUTING' ? usage : null
  return {
    call,
    result,
    entry: withRarities(settled, grant, attempts, kept?.stored ?? null, used),
    payloads: [[digest, payload], ...(prepared?.payloads ?? NOTHING), ...(kept?.payloads ?? NOTHING)],
    seen:
      prepared === null && kept === null
        ? end.seen
        : [...end.seen, ...(prepared?.seen ?? []), ...(kept?.seen ?? [])],
    failure: end.ok ? null : end,
  }
}

function describeExecution(
  id: string,
  state: State,
  duration_ms: number,
  grant: Grant | undefined,
  attempts: readonly Attempt[],
): Execution {
  if (grant === undefined && attempts.length === 0) return { id, state, duration_ms }
  return {
    id,
    state,
    duration_ms,
    ...(grant === undefined ? {} : { grant: grant.id }),
    ...(attempts.length === 0 ? {} : { attempts: attempts.length + 1 }),
  }
}

/** Adds to a result what is said beside it. */
function withAsides(
  result: ToolResult,
  { origin }: Run,
  continuation: Continuation,
  warnings: readonly string[],
): ToolResult {
  if (origin !== 'runtime' && warnings.length === 0) return { ...result, continuation }
  const asides = warnings.length === 0 ? { continuation } : { continuation, warnings }
  return origin === 'runtime' ? { ...result, origin, ...asides } : { ...result, ...asides }
}

/** Adds to an entry what few calls have. */
function withRarities(
  entry: SettledEntry,
  grant: Grant | undefined,
  attempts: readonly Attempt[],
  stored: Readonly<Record<string, Digest>> | null,
  usage: ResourceUse | null,
): SettledEntry {
  if (grant === undefined && attempts.length === 0 && stored === null)
    return usage === null ? entry : { ...entry, usage }
  return {
    ...entry,
    ...(grant === undefined ? {} : { grant: { id: grant.id, sentence: grant.sentence } }),
    ...(attempts.length === 0 ? {} : { attempts }),
    ...(stored === null ? {} : { stored }),
    ...(usage === null ? {} : { usage }),
  }
}

function warningsFor(tool: Tool | null, prepared: Prepared | null): readonly string[] {
  const notes = prepared?.notes ?? NOTHING
  if (tool === null || tool.deprecated === null) return notes
  return [deprecationWarning(tool.name, tool.deprecated), ...notes]
}

function deprecationWarning(
  name: string,
  { since, use, removedIn }: { since: string; use: string; removedIn: string },
): string {
  return `${name} is deprecated since ${since} and will be removed in ${removedIn}; use ${use} instead.`
}
