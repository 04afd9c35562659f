import { endWith, toolError } from '../../core/error.ts'
import type { JsonObject } from '../../core/json/value.ts'
import { declare, settle } from '../../core/lifecycle.ts'
import type { ToolResult } from '../../core/result.ts'
import { truncateText } from '../../core/text/truncate.ts'
import type { BatchEntry, DeclaredCall, SettledEntry } from '../../journal/entries/entry.ts'
import { formatResult } from '../../journal/entries/stored-result.ts'
import type { LogReader, SessionLog } from '../../journal/log.ts'
import type { HeldEntry } from '../../journal/entries/conversation-entry.ts'
import type { Run } from '../engine.ts'
import type { Batch } from '../batch.ts'
import type { Step } from '../step.ts'
import { heldRow } from './notices.ts'
import { entriesOf } from '../parse/waiting-batch.ts'
import { presentFailure } from '../present.ts'
import { batchOnRecord, findHeldForgery, findHeldLoss, sealHeld } from '../seal-questions.ts'

/** What a person supplies as the outcome of a held call. */
export type SuppliedOutcome = { readonly result: string } | { readonly error: string }

/** A batch with calls that a person answers. */
export interface HeldBatch {
  readonly batch: BatchEntry
  readonly declaredAt: number
  /** Held calls in call order. */
  readonly calls: readonly WaitingCall[]
}

/** A call that was held. */
export interface WaitingCall {
  readonly call: DeclaredCall
  /** Whether it has a result. */
  readonly isAnswered: boolean
  /** Why no result can be supplied, but an error: it is not stored as it was made. Null if it is. */
  readonly damaged: string | null
}

/** A held call that a person answers, with its batch. */
export interface HeldCall extends Pick<HeldBatch, 'batch' | 'declaredAt'> {
  readonly call: DeclaredCall
}

/** What recording a supplied outcome needs. */
export interface SupplyDeps {
  readonly digest: (bytes: Uint8Array) => string
  readonly now: () => number
  readonly maxBytes: number
}

const utf8 = new TextEncoder()

/** Whether a call does not run, because a person supplies its result. */
function isHeld(step: Step): boolean {
  return step.judgement.error?.code === 'held'
}

/** Takes held calls out of a batch and records it; they stay open until a person answers them. */
export function holdBack(batch: Batch, steps: readonly Step[], run: Run): readonly Step[] {
  const held = steps.filter(isHeld)
  if (held.length === 0) return steps
  const executions = held.map(({ call }) => call.execution)
  const { log } = run
  const about = batchOnRecord(batch.id, executions[0] ?? '', log)
  const seal = sealHeld({ batch: batch.id, executions }, about, log)
  log.append({ entries: [{ kind: 'held', batch: batch.id, executions, seal }], reliance: 'durable' })
  for (const step of held) batch.notices.set(step.call.execution, heldRow(step))
  return steps.filter((step) => !isHeld(step))
}

interface Found {
  readonly batch: BatchEntry
  readonly at: number
  readonly held: HeldEntry[]
  readonly settled: Set<string>
}

/** The newest batch of a session that has held calls without a result, or null. */
export function findHeld(log: LogReader): HeldBatch | null {
  const found = new Map<string, Found>()
  for (const { entry, at } of log.openBatches().flatMap((open) => entriesOf(open, log))) {
    if (entry.kind === 'batch') found.set(entry.batch, { batch: entry, at, held: [], settled: new Set() })
    else if (entry.kind === 'held') found.get(entry.batch)?.held.push(entry)
    else if (entry.kind === 'settled') found.get(entry.batch)?.settled.add(entry.execution)
  }
  const newest = [...found.values()].findLast(({ held, settled }) =>
    held.some(({ executions }) => executions.some((execution) => !settled.has(execution))),
  )
  if (newest === undefined) return null
  const { batch, at: declaredAt, held, settled } = newest
  const calls = batch.calls.flatMap((call): readonly WaitingCall[] => {
    const named = held.filter(({ executions }) => executions.includes(call.execution))
    if (named.length === 0) return []
    const forgeries = named.map((entry) => findHeldForgery(entry, batch, log))
    const forgery = forgeries.includes(null) ? null : (forgeries[0] ?? null)
    const damaged = forgery ?? findHeldLoss(call, log)
    return [{ call, isAnswered: settled.has(call.execution), damaged }]
  })
  return { batch, declaredAt, calls }
}

/** Records the outcome that a person supplies for a held call; durable before it is acknowledged, like every result. */
export function supply(
  log: SessionLog,
  { batch, declaredAt, call: { execution, id, name } }: HeldCall,
  outcome: SuppliedOutcome,
  { digest, now, maxBytes }: SupplyDeps,
): ToolResult {
  const at = now()
  const begun = settle(
    settle(settle(declare(declaredAt), 'VALIDATED', at), 'AUTHORIZED', at),
    'EXECUTING',
    at,
  )
  const error = 'error' in outcome ? toolError('execution_failed', outcome.error, { supplied: true }) : null
  const trace = error === null ? settle(begun, 'COMPLETED', at) : endWith(begun, error.code, 'running', at)
  const row = { id: execution, state: trace.now, duration_ms: 0 }
  const answer: JsonObject = { supplied: true }
  const result: ToolResult =
    'result' in outcome
      ? {
          id,
          name,
          ok: true,
          result: answer,
          content: truncateText(outcome.result, maxBytes).text,
          execution: row,
        }
      : presentFailure(
          { id, name },
          { error: error ?? toolError('execution_failed', ''), phase: 'running' },
          row,
          maxBytes,
        )
  const payload = utf8.encode(formatResult(result))
  const entry: SettledEntry = {
    kind: 'settled',
    batch: batch.batch,
    turn: batch.turn,
    execution,
    name,
    version: null,
    effect: null,
    moves: trace.moves,
    error: result.ok ? null : { code: result.error.code, class: result.error.class },
    result: digest(payload),
    output: null,
    capabilities: [],
    changes: [],
    gates: [{ gate: 'held', fact: 'a person supplied the result', verdict: 'pass' }],
    durationMs: 0,
  }
  log.append({ entries: [entry], payloads: new Map([[entry.result, payload]]), reliance: 'durable' })
  return result
}
