import { findHunkFault } from '../../core/approval.ts'
import type { Decision, GrantRequest } from '../../core/approval.ts'
import type { Actor } from '../../core/call.ts'
import type { GrantScope } from '../../core/grant.ts'
import type { LogReader } from '../../journal/log.ts'
import type { Engine } from '../../pipeline/engine.ts'
import { findWaitingBatch } from '../../pipeline/parse/waiting-batch.ts'
import type { WaitingBatch } from '../../pipeline/parse/waiting-batch.ts'
import { argumentsScope, checkGrantRequest, NO_ARGUMENTS } from '../../pipeline/approve/make-grant.ts'
import type { AskedCall } from '../../pipeline/approve/make-grant.ts'
import { readAskedCall } from '../../pipeline/approve/open-questions.ts'
import { readOffer } from '../../pipeline/approve/offer.ts'
import type { ChoiceFault, Target } from './choose-questions.ts'
import type { Sessions } from '../sessions/sessions.ts'

/** A scope, or exactly the arguments of each call that is answered. */
export type RequestedScope = GrantScope | 'arguments'

/** One answer, for as many questions as it is given to. */
export interface GivenAnswer {
  readonly isApproved: boolean
  /** A message for the model, on a denial. */
  readonly say?: string
  /** How long the approval is granted; until it is revoked if only a scope is given. */
  readonly seconds?: number
  /** What the grant covers; the whole tool if only a duration is given. */
  readonly scope?: RequestedScope
  /** Only these hunks of what is asked about, counted from 1 in the order of the diff. */
  readonly hunks?: readonly number[]
  readonly actor?: Actor
}

/** Decisions by question. */
export type Decisions = ReadonlyMap<string, Decision>

/** Decisions that were given, and whether the one on record may be this one: another process may have taken it already. */
export interface GivenDecisions {
  readonly decisions: Decisions
  readonly mayCount: (approval: string) => boolean
}

/** Makes the decision about each question. If the requested grant does not fit one of them, none is answered. */
export function makeDecisions(
  targets: readonly Target[],
  answer: GivenAnswer,
  sessions: Sessions,
  engine: Engine,
): { readonly decisions: Decisions; readonly faults: readonly ChoiceFault[] } {
  const { isApproved, say, actor = null, hunks } = answer
  const plain: Decision = {
    isApproved,
    say: isApproved ? null : (say ?? null),
    actor,
    ...(isApproved && hunks !== undefined ? { hunks } : {}),
  }
  const isAlone = targets.flatMap(({ approvals }) => approvals).length === 1
  const decisions = new Map<string, Decision>()
  const faults: ChoiceFault[] = []
  for (const { session, batch, approvals } of targets) {
    const log = sessions.peek(session)
    const waiting = findWaitingBatch(batch, log)
    for (const approval of approvals) {
      const asked = waiting === null ? null : readAskedCall(waiting, approval, log, engine)
      const request = asked === null ? null : grantRequestFor(asked, answer)
      const checked =
        request === null || asked === null
          ? null
          : checkGrantRequest(request, asked, { id: approval, by: actor?.id ?? '' }, engine)
      const fault =
        hunks === undefined || waiting === null
          ? null
          : request !== null
            ? 'a grant allows whole changes, so it cannot be combined with hunks'
            : isAlone
              ? faultOf(hunks, approval, waiting, log, engine)
              : 'hunks are chosen for one question at a time'
      if (fault !== null) faults.push({ id: approval, why: `was not answered: ${fault}` })
      if (checked?.ok === false) faults.push({ id: approval, why: `was not answered: ${checked.why}` })
      const read = waiting?.asked.seal
      decisions.set(approval, {
        ...plain,
        ...(request === null ? {} : { wish: request }),
        ...(isApproved && read !== undefined ? { asked: read } : {}),
      })
    }
  }
  return { decisions, faults }
}

/** Why hunks cannot be chosen for a question, or null. */
function faultOf(
  hunks: readonly number[],
  approval: string,
  { asked }: WaitingBatch,
  log: LogReader,
  { settings }: Engine,
): string | null {
  const question = asked.questions.find((one) => one.approval === approval)
  const offer = readOffer(question?.offer === undefined ? null : log.payload(question.offer))
  // A digest stands for the diff: here it only counts whether there is one.
  const shown = { diff: question?.diff ?? null, ...(offer.hunks === undefined ? {} : { hunks: offer.hunks }) }
  return findHunkFault(hunks, shown, settings.profile === 'strict')
}

/** Whether an answer requests a grant. */
export function asksForGrant({ isApproved, seconds, scope }: GivenAnswer): boolean {
  return isApproved && (seconds !== undefined || scope !== undefined)
}

function grantRequestFor(asked: AskedCall, answer: GivenAnswer): GrantRequest | null {
  if (!asksForGrant(answer)) return null
  const { seconds = null, scope = { kind: 'tool' } } = answer
  if (scope !== 'arguments') return { seconds, scope }
  return { seconds, scope: argumentsScope(asked) ?? NO_ARGUMENTS }
}
