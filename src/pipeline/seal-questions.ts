import { canonicalJson } from '../core/json/canonical.ts'
import type { JsonValue } from '../core/json/value.ts'
import type { AskedEntry, AskedQuestion, BatchEntry, DeclaredCall } from '../journal/entries/entry.ts'
import type { HeldEntry } from '../journal/entries/conversation-entry.ts'
import type { LogReader, SessionLog } from '../journal/log.ts'

type Sealing = Pick<LogReader, 'sealOf'>

/**
 * Seals everything that questions show, what stands behind it, and what a grant would be made from; with all calls of their
 * batch, because those that are not asked about run after the answers, too.
 */
export function sealQuestions(
  { batch, questions, expiresAt, whileRunning = false }: Omit<AskedEntry, 'seal'>,
  about: BatchEntry,
  { sealOf }: Sealing,
): string {
  const asked = questions.map((question) => ({ ...question }))
  return sealOf(canonicalJson(plain([batch, expiresAt, whileRunning, asked, describeBatch(about)])))
}

/** Seals the calls that wait for a person to supply their results. */
export function sealHeld(
  { batch, executions }: Omit<HeldEntry, 'seal' | 'kind'>,
  about: BatchEntry,
  { sealOf }: Sealing,
): string {
  return sealOf(canonicalJson(plain(['held', batch, executions, describeBatch(about)])))
}

/** The calls of a batch as they run, and who wants them. */
function describeBatch({ batch, origin, delegate, calls, isDryRun, ahead }: BatchEntry): readonly unknown[] {
  const described = calls.map(({ execution, id, name, args, meta }) => [
    execution,
    id,
    name,
    args,
    { ...meta },
  ])
  return [batch, origin, delegate ?? null, isDryRun ?? false, ahead ?? null, described]
}

/** The batch of a call as it is on record, to be sealed with what is asked about it. */
export function batchOnRecord(
  batch: string,
  execution: string,
  { about }: Pick<SessionLog, 'about'>,
): BatchEntry {
  for (const { entry } of about(execution)) if (entry.kind === 'batch' && entry.batch === batch) return entry
  throw new Error(`the batch ${batch} is not on record`)
}

/** As it is read again: without fields that are undefined. */
function plain(value: unknown): JsonValue {
  return JSON.parse(JSON.stringify(value)) as JsonValue
}

/** A waiting batch, as far as its questions are concerned. */
export interface SealedQuestions {
  readonly asked: AskedEntry
  readonly batch: BatchEntry
}

/** Why the questions of a batch cannot be relied on, as the end of a sentence; null if they are as Tongs asked them. */
export function findForgery({ asked, batch }: SealedQuestions, log: Sealing): string | null {
  return judgeSeal(asked.seal, sealQuestions(asked, batch, log))
}

/** Why a call that waits for its result cannot be relied on, as the end of a sentence; null if it is as it was made. */
export function findHeldForgery(held: HeldEntry, batch: BatchEntry, log: Sealing): string | null {
  return judgeSeal(held.seal, sealHeld(held, batch, log))
}

function judgeSeal(read: string | undefined, wanted: string): string | null {
  if (read === undefined) return UNSEALED
  return read === wanted ? null : REWRITTEN
}

const UNSEALED = 'it has no seal: an earlier version of Tongs or another program recorded it'
const REWRITTEN = 'its seal is not valid: another program changed what it asks'

/** Why a question cannot show what it showed when it was asked, as the end of a sentence; null if it can. */
export function findLoss(
  { diff, offer, execution }: AskedQuestion,
  { batch }: Pick<SealedQuestions, 'batch'>,
  { payload }: Pick<LogReader, 'payload'>,
): string | null {
  const args = batch.calls.find((call) => call.execution === execution)?.args
  return describeLoss([args, offer, diff], payload)
}

/** The same for a call that waits for its result. */
export function findHeldLoss(
  { args }: Pick<DeclaredCall, 'args'>,
  { payload }: Pick<LogReader, 'payload'>,
): string | null {
  return describeLoss([args], payload)
}

function describeLoss(
  digests: readonly (string | null | undefined)[],
  payload: LogReader['payload'],
): string | null {
  const isLost = digests.some(
    (digest) => digest === undefined || (digest !== null && payload(digest) === null),
  )
  return isLost ? 'a part of what it showed is gone or was changed' : null
}
