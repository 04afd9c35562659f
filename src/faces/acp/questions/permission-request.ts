import type { PermissionOption, RequestPermissionRequest } from '@agentclientprotocol/sdk'
import { areHunks, findHunkFault } from '../../../core/approval.ts'
import type { ApprovalRequest, PermissionAnswer } from '../../../core/approval.ts'
import { globOf } from '../../../core/grant.ts'
import { ownFields } from '../../../core/json/value.ts'
import { showPath } from '../../../core/text/display/show-path.ts'
import { oneLine } from '../../../terminal/one-line.ts'
import { describeSeconds, scopeForTime } from '../../../terminal/grant-choices.ts'
import { spellOut } from '../../../terminal/spell-out.ts'
import { describeCall } from '../turns/describe-call.ts'
import type { CallFacts } from '../turns/describe-call.ts'
import { contentOf } from './question-content.ts'

/** How questions are put to this client. */
export interface Asking {
  readonly grantSeconds: number
  /** Whether putting a question off may be offered. */
  readonly hasLater: boolean
  readonly facts: CallFacts
}

type Answer = PermissionAnswer | 'later'

interface Offer {
  readonly option: PermissionOption
  readonly answer: Answer
}

/** A question as the protocol has it. What there is no shape for is in `_meta.tongs`. */
export function toPermissionRequest(
  request: ApprovalRequest,
  asking: Asking,
): Omit<RequestPermissionRequest, 'sessionId'> {
  const { call, execution, ...question } = request
  return {
    toolCall: {
      toolCallId: execution,
      ...describeCall(call.name, call.args, asking.facts),
      status: 'pending',
      content: contentOf(request, asking.facts),
      rawInput: call.args,
    },
    options: offers(request, asking).map(({ option }) => option),
    _meta: { tongs: { ...question, execution, call: { id: call.id, name: call.name } } },
  }
}

/** What each option stands for, in the order in which they are offered. */
function offers(request: ApprovalRequest, { grantSeconds, hasLater }: Asking): readonly Offer[] {
  const { scopes, kind, about } = request
  const time = describeSeconds(grantSeconds)
  const whole = scopeForTime(request)
  const until =
    request.passing === undefined ? '' : ', as long as this editor is connected and does not replace it'
  const isOnceOnly = kind === 'landing' || about === 'result'
  const yes = kind === 'landing' ? 'Land it' : 'Allow'
  const rest = [
    offer('deny', kind === 'landing' ? 'Discard it' : 'Deny', 'reject_once', { answer: 'deny' }),
    ...(hasLater ? [offer('later', 'Decide later', 'reject_once', 'later')] : []),
  ]
  if (request.damaged !== undefined) return rest
  return [
    offer('once', `${yes} once`, 'allow_once', { answer: 'once' }),
    ...(isOnceOnly || whole === null
      ? []
      : [
          offer(
            'duration',
            `Allow all calls of ${showPath(request.call.name)} for ${time}${until}`,
            'allow_always',
            {
              answer: 'duration',
              seconds: grantSeconds,
              scope: whole,
            },
          ),
        ]),
    ...scopes.flatMap(({ scope, sentence }, index) => {
      const said = spellOut(oneLine(sentence, globOf(scope)))
      return [
        offer(`scope-${index + 1}`, `Allow until revoked: ${said}`, 'allow_always', {
          answer: 'scope',
          scope,
        }),
      ]
    }),
    ...rest,
  ]
}

function offer(optionId: string, name: string, kind: PermissionOption['kind'], answer: Answer): Offer {
  return { option: { optionId, name, kind }, answer }
}

/**
 * Reads how a person answered. `_meta.tongs` of the response may hold words for a no (`say`) and the hunks of a yes
 * (`hunks`). What makes no sense is never a yes: the question stays open.
 */
export function readOutcome(response: unknown, request: ApprovalRequest, asking: Asking): Answer {
  // The library passes on whatever the client sent.
  const { outcome, _meta: meta } = ownFields(response)
  const picked = pickedOption(outcome)
  const chosen = offers(request, asking).find(({ option }) => option.optionId === picked)
  if (chosen === undefined) return 'later'
  const { say, hunks } = ownFields(ownFields(meta)['tongs'])
  return addTo(chosen.answer, say, hunks, request)
}

/** The option that a client says a person picked; null if it says nothing of the kind. */
export function pickedOption(outcome: unknown): string | null {
  const { outcome: end, optionId } = ownFields(outcome)
  return end === 'selected' && typeof optionId === 'string' ? optionId : null
}

/** The answer with words or hunks; `later` if those cannot be taken. */
function addTo(answer: Answer, say: unknown, hunks: unknown, request: ApprovalRequest): Answer {
  if (answer === 'later') return answer
  if (answer.answer === 'deny')
    return typeof say === 'string' && say.trim() !== '' ? { ...answer, say } : answer
  if (hunks === undefined || hunks === null) return answer
  const isTaken = answer.answer === 'once' && areHunks(hunks) && findHunkFault(hunks, request, false) === null
  return isTaken ? { answer: 'once', hunks } : 'later'
}
