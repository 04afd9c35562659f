import type { ApprovalRequest, PermissionAnswer } from '../../core/approval.ts'
import { globOf } from '../../core/grant.ts'
import { ownFields } from '../../core/json/value.ts'
import { drawRequest, ONLY_REQUEST } from '../../terminal/approval-screen.ts'
import { oneLine } from '../../terminal/one-line.ts'
import type { Drawing } from '../../terminal/approval-screen.ts'
import type { Style } from '../../terminal/paint.ts'
import { scopeForTime } from '../../terminal/grant-choices.ts'
import { spellOut } from '../../terminal/spell-out.ts'
import { choosableHunks, readHunkList } from '../../terminal/hunk-choice.ts'

/** A form that a client shows to a person. */
export interface ApprovalForm {
  readonly message: string
  readonly requestedSchema: {
    readonly type: 'object'
    readonly properties: Record<string, FormField>
    readonly required: string[]
  }
}

interface FormField {
  readonly type: 'string'
  readonly title: string
  readonly description: string
  readonly enum?: string[]
}

const COLUMNS = 100
/** A longer question is shortened, because not every client can scroll a form. */
const WHOLE_CHARS = 16_384

/** The form for a question: what would happen, and the answers to choose from. */
export function formFor(request: ApprovalRequest, grantSeconds: number): ApprovalForm {
  const { text, isCut } = draw(request)
  const rest = isCut ? `\nThis is cut; tongs pending --json has all of it (${request.id}).` : ''
  const properties: Record<string, FormField> = {
    answer: {
      type: 'string',
      title: 'Answer',
      description: 'Whether it may happen, and for how long that holds',
      enum: [...offers(request, grantSeconds).keys()],
    },
    say: { type: 'string', title: 'Words for the model', description: 'Told to the model with a no' },
  }
  const hunks = choosableHunks(request)
  if (hunks > 0)
    properties['hunks'] = {
      type: 'string',
      title: 'Hunks',
      description: `Only these of the ${hunks} hunks, such as 1,3-5; all of them if this is left empty`,
    }
  return {
    message: `${text.trim()}${rest}`,
    requestedSchema: { type: 'object', properties, required: ['answer'] },
  }
}

/** All of a question, or if that is long, its parts with rows left out. */
function draw(request: ApprovalRequest): Drawing {
  const surface = { columns: COLUMNS, paint: (_style: Style, words: string) => words }
  const whole = drawRequest(request, { ...ONLY_REQUEST, isWhole: true }, surface)
  return whole.text.length <= WHOLE_CHARS ? whole : drawRequest(request, ONLY_REQUEST, surface)
}

/** What each answer stands for, in the order in which they are offered. */
function offers(
  { scopes, kind, about, passing, damaged }: ApprovalRequest,
  grantSeconds: number,
): ReadonlyMap<string, PermissionAnswer | 'later'> {
  const rest: readonly (readonly [string, PermissionAnswer | 'later'])[] = [
    ['no', { answer: 'deny' }],
    ['decide later', 'later'],
  ]
  if (damaged !== undefined) return new Map(rest)
  const whole = scopeForTime({ scopes, ...(passing === undefined ? {} : { passing }) })
  const isOnceOnly = kind === 'landing' || about === 'result'
  return new Map<string, PermissionAnswer | 'later'>([
    ['yes, this once', { answer: 'once' }],
    ...(isOnceOnly || whole === null
      ? []
      : [
          [
            `yes, and all calls of this tool for ${grantSeconds} seconds`,
            { answer: 'duration', seconds: grantSeconds, scope: whole },
          ] as const,
        ]),
    ...scopes.map(
      ({ scope, sentence }) =>
        [
          `yes, until revoked: ${spellOut(oneLine(sentence, globOf(scope)))}`,
          { answer: 'scope', scope },
        ] as const,
    ),
    ...rest,
  ])
}

/** What a client sends back for a form. */
export interface FormReply {
  readonly action: 'accept' | 'decline' | 'cancel'
  readonly content?: Readonly<Record<string, unknown>>
}

/** Reads a form that was filled in; null if it makes no sense, which is never a yes. */
export function readReply(
  reply: FormReply,
  request: ApprovalRequest,
  grantSeconds: number,
): PermissionAnswer | 'later' | null {
  const { action, content } = ownFields(reply)
  if (action === 'decline') return { answer: 'deny' }
  if (action !== 'accept') return 'later'
  const { answer, say, hunks } = ownFields(content)
  const meant = typeof answer === 'string' ? offers(request, grantSeconds).get(answer) : undefined
  if (meant === undefined) return null
  if (meant === 'later') return meant
  if (meant.answer === 'deny') return typeof say === 'string' && say.trim() !== '' ? { ...meant, say } : meant
  if (typeof hunks !== 'string' || hunks.trim() === '') return meant
  const chosen = meant.answer === 'once' ? readHunkList(hunks, request) : null
  return chosen?.ok === true && typeof chosen.answer === 'object' ? chosen.answer : null
}
