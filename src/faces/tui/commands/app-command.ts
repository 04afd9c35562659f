import type { SessionControl } from '../session-control.ts'
import type { AppSession } from '../app-session.ts'
import type { Confirmation } from '../sheets/dialogs.ts'
import type { CallBlock } from '../view/view.ts'

/** What a command of the app may do. */
export interface AppPowers extends Pick<
  SessionControl,
  'reopen' | 'settling' | 'askPending' | 'decideInterruption'
> {
  readonly session: () => AppSession
  readonly confirm: (question: Confirmation) => Promise<boolean>
  readonly toggleTasks: () => void
  /** The call that a command without a word means: the chosen one, or else the last. */
  readonly chosenCall: () => CallBlock | null
  readonly quit: () => void
}

/** A command that is typed with a slash. */
export interface AppCommand {
  readonly name: string
  /** How its words are shown in the help. */
  readonly words: string
  readonly says: string
  readonly run: (rest: string, app: AppPowers) => Promise<void> | void
  /** What may follow, for completion. */
  readonly complete?: (app: AppPowers) => readonly string[]
}

/** A number of things as a person types it; null where it is none. */
export function readCount(word: string): number | null {
  return /^[1-9]\d{0,5}$/.test(word) ? Number(word) : null
}
