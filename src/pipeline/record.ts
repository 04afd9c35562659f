import { endingOf, viewError } from '../core/error.ts'
import type { Phase, ToolError } from '../core/error.ts'
import { canonicalJson } from '../core/json/canonical.ts'
import { settle } from '../core/lifecycle.ts'
import type { Trace } from '../core/lifecycle.ts'
import type { ToolResult } from '../core/result.ts'
import type { JsonObject } from '../core/json/value.ts'
import type { Digest, SeenFile, SettledEntry } from '../journal/entry.ts'
import type { Prepared } from '../workspace/prepare.ts'
import type { Batch } from './declare.ts'
import type { House, Run } from './house.ts'
import { presentError, presentOutput } from './present.ts'
import type { Step } from './plan.ts'

/** A call at its end, before it is written down. */
export interface Ending {
  readonly step: Step
  readonly trace: Trace
  readonly durationMs: number
  readonly end: Finish
}

/** The two ways a call ends. */
export type Finish =
  | {
      readonly ok: true
      readonly output: JsonObject
      readonly seen: readonly SeenFile[]
      readonly prepared: Prepared | null
    }
  | {
      readonly ok: false
      readonly error: ToolError
      readonly seen: readonly SeenFile[]
      readonly phase: Phase
    }

/** A result with the entry that records it. */
export interface Answer {
  readonly result: ToolResult
  readonly entry: SettledEntry
  /** Contents by digest: the result itself, and what the changes name. */
  readonly payloads: ReadonlyMap<Digest, Uint8Array>
  readonly seen: readonly SeenFile[]
}

const utf8 = new TextEncoder()

/** Makes the one answer of a call. A result that cannot be shown within the limit becomes an error here. */
export function answer(
  ending: Ending,
  batch: Pick<Batch, 'id' | 'turn'>,
  maxBytes: number,
  house: House,
  run: Run,
): Answer {
  const { step } = ending
  const { call, tool } = step
  let { end } = ending
  let content = ''
  if (end.ok && tool !== null) {
    const shown = presentOutput(tool, end.output, maxBytes)
    if (shown.ok) content = shown.content
    else end = { ok: false, error: shown.error, seen: [], phase: 'running' }
  }
  if (!end.ok) content = presentError(call.name, end.error, maxBytes)
  const state = end.ok ? 'COMPLETED' : endingOf(end.error.code, end.phase)
  const trace = settle(ending.trace, state, house.clock.now())
  const execution = { id: call.execution, state, duration_ms: Math.round(ending.durationMs) }
  const warnings = [
    ...(tool === null || tool.deprecated === null || !end.ok
      ? []
      : [deprecationWarning(tool.name, tool.deprecated)]),
    ...(end.ok && end.prepared !== null ? end.prepared.notes : []),
  ]
  const prepared = end.ok ? end.prepared : null
  const common = {
    content,
    execution,
    ...(run.origin === 'runtime' ? { origin: run.origin } : {}),
    ...(warnings.length === 0 ? {} : { warnings }),
  }
  const result: ToolResult = end.ok
    ? { id: call.id, name: call.name, ok: true, result: end.output, ...common }
    : { id: call.id, name: call.name, ok: false, error: viewError(end.error, end.phase), ...common }
  const payload = utf8.encode(JSON.stringify(result))
  const digest = house.digest(payload)
  const entry: SettledEntry = {
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
    output: end.ok ? house.digest(canonicalJson(end.output)) : null,
    capabilities: tool?.capabilities ?? [],
    changes: prepared?.changes ?? [],
    gates: step.judgement.findings,
    durationMs: execution.duration_ms,
  }
  const payloads = new Map([...(prepared?.payloads ?? []), [digest, payload]])
  return {
    result,
    entry,
    payloads,
    seen: [...end.seen, ...(prepared?.seen ?? [])],
  }
}

function deprecationWarning(
  name: string,
  { since, use, removedIn }: { since: string; use: string; removedIn: string },
): string {
  return `${name} is deprecated since ${since} and will be removed in ${removedIn}; use ${use} instead.`
}
