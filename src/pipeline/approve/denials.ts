import type { Decision } from '../../core/approval.ts'
import { toolError } from '../../core/error.ts'
import type { ToolError } from '../../core/error.ts'

/** The error of a call that was not approved. */
export function denialError({ say, refusal = 'denied' }: Decision): ToolError {
  if (refusal === 'silence')
    return notApproved('Nobody answered the question in time, which counts as a no.', 'silence', [
      'Nothing of it was done. Go on with what needs no approval, or say what you wanted and why, and ask again when somebody is there.',
    ])
  if (refusal === 'broken')
    return notApproved('The question could not be put to anybody, which counts as a no.', 'broken')
  if (refusal === 'unclear')
    return notApproved(
      `The answer could not be understood, which counts as a no: ${say ?? 'it says nothing'}.`,
      'unclear',
    )
  if (say === null || say === '') return notApproved('Denied by the user.', 'denied')
  return toolError('approval_denied', `Denied by the user: ${say}`, { reason: 'denied', say })
}

/** The error of a call that needs an answer where nobody can give one. */
export const NO_APPROVER = notApproved('This needs approval, and there is nobody to ask.', 'nobody', [
  'Approve it beforehand in the configuration, or run where somebody can be asked.',
])

/** The error of a call whose question waited too long. */
export const EXPIRED = notApproved('The question was not answered in time.', 'expired', [
  'Ask for the call again.',
])

/** The error of a call that would do something else than was approved. */
export const CHANGED = notApproved(
  'What would be done now differs from what was approved, so nothing was changed.',
  'preview_changed',
  ['Ask for the call again to see what it would do now.'],
)

/** The error of a call that needs an answer only now, when nobody can be asked any more. */
export const NOT_ASKED = notApproved(
  'This needs approval by now, and nobody was asked about it.',
  'not_asked',
  ['Ask for the call again.'],
)

function notApproved(message: string, reason: string, recovery: readonly string[] = []): ToolError {
  return toolError('approval_denied', message, { reason }, recovery)
}
