import type { Recovery } from '../../../agent/conversation.ts'
import type { ApprovalAnswers, ApprovalRequest, Asking } from '../../../core/approval.ts'
import type { RecoveryChoice } from '../../../pipeline/after/recover.ts'

/** What a question comes with; one that waits for an answer anyway has no end. */
export type AskingHere = Pick<Asking, 'signal' | 'grantSeconds'> & Partial<Pick<Asking, 'seconds'>>

/** A question with yes and no, and what it is about. */
export interface Confirmation {
  readonly title: string
  readonly rows: readonly string[]
}

/** The questions that the app can ask, however they are shown. */
export interface Dialogs {
  /** Asks about a batch; `cancel` is told when the person wants none of it. */
  readonly approval: (
    requests: readonly ApprovalRequest[],
    asking: AskingHere,
    cancel: () => void,
  ) => Promise<ApprovalAnswers>
  readonly confirmation: (question: Confirmation) => Promise<boolean>
  /** What to do with what an interruption left; null leaves it. */
  readonly recovery: (found: Recovery) => Promise<RecoveryChoice | null>
}
