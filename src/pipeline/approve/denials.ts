import type { Decision } from '../../core/approval.ts'
import { toolError } from '../../core/error.ts'
import type { ToolError } from '../../core/error.ts'

/** The error of a call that was not approved. */
export function denialError({ say, refusal = 'denied' }: Decision): ToolError {
  if (refusal === 'silence')
    return notApproved('No one answered in time, which counts as a denial.', 'silence', [
      'Nothing was done. Continue with work that needs no approval, or explain what you need and why, and request the call again when an approver is available.',
    ])
  if (refusal === 'broken')
    return notApproved('The approver failed before it answered, which counts as a denial.', 'broken')
  if (refusal === 'unclear')
    return notApproved(
      `The answer was not understood, which counts as a denial: ${say ?? 'it is empty'}.`,
      'unclear',
    )
  if (say === null || say === '') return notApproved('Denied by the user.', 'denied')
  return toolError('approval_denied', `Denied by the user: ${say}`, { reason: 'denied', say })
}

/** The error of a call that needs approval in a run without an approver. */
export const NO_APPROVER = notApproved('This call needs approval, and no approver is available.', 'nobody', [
  'Allow it in the configuration, or run where an approver is available.',
])

/** The error of a call whose question expired. */
export const EXPIRED = notApproved('The question was not answered in time.', 'expired', [
  'Request the call again.',
])

/** The error of a call whose question, or an answer to it, was not recorded by Tongs as it is stored. */
export const DAMAGED = notApproved(
  'What is stored about the approval of this batch does not verify, so none of its calls ran.',
  'damaged',
  ['Request the call again.'],
)

/** The error of a call that would no longer do what was approved. */
export const CHANGED = notApproved(
  'The call would no longer do what was approved, so nothing was changed.',
  'preview_changed',
  ['Request the call again to see what it would do now.'],
)

/** The error of a call that turns out to need approval when no approver can be asked any more. */
export const NOT_ASKED = notApproved('This call now needs approval, and none was requested.', 'not_asked', [
  'Request the call again.',
])

/** The error of a call whose grant ends when it is ready to be committed, and too late to ask. */
export const NO_LONGER_GRANTED = notApproved(
  'The grant that this call ran under no longer counts, so nothing was changed.',
  'not_asked',
  ['Request the call again.'],
)

/** The error of a call of which an answer took nothing. */
export const NOTHING_TAKEN = notApproved('None of the hunks of this change was approved.', 'nothing_taken')

function notApproved(message: string, reason: string, recovery: readonly string[] = []): ToolError {
  return toolError('approval_denied', message, { reason }, recovery)
}
