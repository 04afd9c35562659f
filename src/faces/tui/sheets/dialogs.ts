import type { Recovery } from '../../../agent/conversation.ts'
import type { ApprovalAnswers, ApprovalRequest, Asking } from '../../../core/approval.ts'
import type { RecoveryChoice } from '../../../pipeline/after/recover.ts'
import type { SetupDialogs } from '../../../setup/setup-dialogs.ts'

/** The options of a question; a pending one has no time limit. */
export type AskingHere = Pick<Asking, 'signal' | 'grantSeconds'> & Partial<Pick<Asking, 'seconds'>>

/** A yes-or-no question with details. */
export interface Confirmation {
  readonly title: string
  readonly rows: readonly string[]
}

/** The questions that the app can ask. */
export interface Dialogs {
  /** Asks about a batch; `cancel` is called if the user cancels all of it. */
  readonly approval: (
    requests: readonly ApprovalRequest[],
    asking: AskingHere,
    cancel: () => void,
  ) => Promise<ApprovalAnswers>
  /** Lists to choose from and lines to type, in setup and in commands. */
  readonly setup: SetupDialogs
  readonly confirmation: (question: Confirmation) => Promise<boolean>
  /** Asks what to do about an interruption; null leaves it. */
  readonly recovery: (found: Recovery) => Promise<RecoveryChoice | null>
}
