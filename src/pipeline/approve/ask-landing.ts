import { ToolFailure } from '../../core/error.ts'
import type { FileChange, LandingEntry } from '../../journal/entries/entry.ts'
import type { Run } from '../engine.ts'
import type { Preview } from '../execute/preview.ts'
import type { Step } from '../step.ts'
import type { LandingRest } from '../waiting-landing.ts'
import { hunksOf, LANDED, withApproval } from './answers.ts'
import { ask } from './ask.ts'
import { denialError, NO_APPROVER, NOT_ASKED } from './denials.ts'
import { LateRefusal } from './late-refusal.ts'
import { makeQuestion } from './question.ts'

/** A call whose process has ended and whose changes are asked about. */
export interface OpenLanding {
  readonly batch: string
  readonly changes: readonly FileChange[]
  readonly durationMs: number
  readonly rest: LandingRest
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
  if (!answer.isApproved) throw LateRefusal.of(step, denialError(answer))
  return { is: 'agreed', step: withApproval(step, answer, LANDED), ...hunksOf(answer) }
}
