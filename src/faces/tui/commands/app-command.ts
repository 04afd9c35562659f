import type { SessionControl } from '../session-control.ts'
import type { AppSession } from '../app-session.ts'
import type { Confirmation } from '../sheets/dialogs.ts'
import type { BuiltInName } from '../../../runtime/commands/built-in-names.ts'
import type { SetupDialogs } from '../../../setup/setup-dialogs.ts'
import type { CallBlock } from '../view/view.ts'

/** What app commands can use. */
export interface AppPowers extends Pick<
  SessionControl,
  'reopen' | 'settling' | 'askPending' | 'decideInterruption' | 'setUp'
> {
  readonly session: () => AppSession
  /** Lists to choose from, and lines to type. */
  readonly dialogs: SetupDialogs
  readonly confirm: (question: Confirmation) => Promise<boolean>
  /** Puts text into the input line. */
  readonly prefill: (text: string) => void
  /** Puts text into the clipboard of the terminal; says why not if that is impossible. */
  readonly copy: (text: string) => string | null
  /** Clears the screen; the log keeps everything. */
  readonly clear: () => void
  readonly toggleTasks: () => void
  /** The call that a command without arguments means: the selected one, or else the last. */
  readonly chosenCall: () => CallBlock | null
  /** Shows all of the result of a call. */
  readonly showCall: (call: CallBlock) => void
  readonly quit: () => void
}

/** A slash command. */
export interface AppCommand {
  readonly name: BuiltInName
  /** Its arguments as the help shows them. */
  readonly words: string
  readonly says: string
  readonly run: (rest: string, app: AppPowers) => Promise<void> | void
  /** Completions of its arguments. */
  readonly complete?: (app: AppPowers) => readonly string[]
}

/** Parses a positive count; null if it is not one. */
export function readCount(word: string): number | null {
  return /^[1-9]\d{0,5}$/.test(word) ? Number(word) : null
}

/** The sessions of this folder, to complete a name. */
export function sessionNames(app: AppPowers): readonly string[] {
  return app
    .session()
    .runtime.sessions()
    .map(({ name }) => name)
}
