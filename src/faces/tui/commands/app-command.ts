import type { Desk, DeskWish } from '../desk.ts'
import type { Confirmation } from '../sheets/confirm-sheet.ts'

/** What a command of the app may do. */
export interface AppPowers {
  readonly desk: () => Desk
  /** Opens the desk again with something changed; not while it is busy. */
  readonly reopen: (change: Partial<DeskWish>) => Promise<void>
  readonly confirm: (question: Confirmation) => Promise<boolean>
  /** Asks about the questions that wait in this session. */
  readonly askPending: () => Promise<void>
  /** Asks what to do with what an interruption left, if there is such a thing. */
  readonly lookForInterruption: () => Promise<void>
  readonly toggleTasks: () => void
  /** The call that is chosen on the screen, or null. */
  readonly selected: () => string | null
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
