import { ToolFailure } from '../../core/error.ts'
import type { JsonObject } from '../../core/json/value.ts'
import type { HiddenPart } from '../../core/result.ts'
import type { Layer } from '../../host/layer/layer.ts'
import type { FileChange, LandingEntry } from '../../journal/entries/entry.ts'
import type { LayerHunks } from '../../workspace/staging/layer-hunks.ts'
import type { Run } from '../engine.ts'
import type { Preview } from '../execute/preview.ts'
import type { Step } from '../step.ts'
import { hunksOf, withApproval } from './answers.ts'
import { ask } from './ask.ts'
import { denialError, NO_APPROVER, NOT_ASKED } from './denials.ts'
import { makeQuestion } from './question.ts'

/** A call whose process has ended and whose changes are asked about. */
export interface OpenLanding {
  readonly batch: string
  readonly changes: readonly FileChange[]
  readonly durationMs: number
  readonly rest: LandingRest
}

/** What the answer of the call is made from, besides its changes. */
export interface LandingRest {
  readonly layer: Layer
  readonly output: JsonObject
  readonly notes: readonly string[]
  readonly hidden: readonly HiddenPart[]
  /** The hunks that an answer may choose from; null if only all of it can be taken. */
  readonly hunks?: LayerHunks | null
  /** When its process began, in epoch milliseconds. */
  readonly startedAt: number
}

/** The step with its approval, or the approval that its landing waits for. */
export type LandingAnswer =
  | { readonly is: 'agreed'; readonly step: Step; readonly hunks?: readonly number[] }
  | { readonly is: 'waiting'; readonly approval: string }

const utf8 = new TextEncoder()

/**
 * Asks whether what a call has changed may land. What is asked about is on record first, so that the question survives
 * this process. Throws the refusal if there is one.
 */
export async function askLanding(
  step: Step,
  preview: Preview,
  { batch, changes, durationMs, rest }: OpenLanding,
  run: Run,
): Promise<LandingAnswer> {
  const { engine, log } = run
  const { execution } = step.call
  if (run.approve === null) throw new ToolFailure(NO_APPROVER)
  const made = makeQuestion(step, preview, run)
  if (made.is === 'settled') throw new ToolFailure(made.step.judgement.error ?? NOT_ASKED)
  const bytes = utf8.encode(JSON.stringify(rest))
  const { rung, startedMs } = rest.layer
  const digest = engine.digest(bytes)
  const entry: LandingEntry = {
    kind: 'landing',
    batch,
    execution,
    layer: rung,
    startedMs,
    changes,
    durationMs: Math.round(durationMs),
    rest: digest,
  }
  log.append({ entries: [entry], payloads: new Map([[digest, bytes]]), reliance: 'recorded' })
  const place = { batch, steps: [step], whileRunning: !run.mayWait }
  const { answers, isPutOff } = await ask([made.question], place, run)
  const approval = made.question.request.id
  const answer = answers.get(approval)
  if (answer === undefined && isPutOff) return { is: 'waiting', approval }
  if (answer === undefined) throw new ToolFailure(NOT_ASKED)
  if (!answer.isApproved) throw new ToolFailure(denialError(answer))
  return { is: 'agreed', step: withApproval(step, answer, LANDED), ...hunksOf(answer) }
}

/** The finding about a landing that was approved. */
export const LANDED = 'a person saw what it changed and let it land'

/** A landing that waited, read from the log. */
export interface WaitingLanding {
  readonly entry: LandingEntry
  /** Null if it was erased. */
  readonly rest: LandingRest | null
}

/** Reads what a waiting landing needs. */
export function readLanding(
  entry: LandingEntry,
  payload: (digest: string) => Uint8Array | null,
): WaitingLanding {
  const bytes = payload(entry.rest)
  // Written by this pipeline and addressed by its digest.
  const rest = bytes === null ? null : (JSON.parse(new TextDecoder().decode(bytes)) as LandingRest)
  return { entry, rest }
}
