import { BudgetError } from '../../agent/budget-error.ts'
import { JournalError } from '../../journal/journal-error.ts'
import type { AppOpening } from '../../terminal/app-opening.ts'
import type { AppState } from './app-state.ts'
import { openDesk } from './desk.ts'
import type { DeskHooks, DeskWish } from './desk.ts'
import type { Askers } from './sheets/askers.ts'

/** What can be done with the session of the app as a whole. */
export interface AppSession {
  /** Opens the desk again with something changed; not while it is busy. */
  readonly reopen: (change: Partial<DeskWish>) => Promise<void>
  readonly refreshTasks: () => Promise<void>
  /** Asks what to do with what an interruption left, if there is such a thing. */
  readonly lookForInterruption: () => Promise<void>
  /** Asks about the questions that wait in this session. */
  readonly askPending: () => Promise<void>
  /** Waits for work beside everything else; what goes wrong in it is said and ends nothing. */
  readonly attempt: (work: Promise<void>) => void
}

/** Makes what works on the session that the state holds. */
export function createAppSession(
  state: AppState,
  opening: AppOpening,
  hooks: DeskHooks,
  ask: Askers,
): AppSession {
  const redraw = hooks.onChange

  async function reopen(change: Partial<DeskWish>): Promise<void> {
    const { desk } = state
    if (desk.isBusy()) {
      desk.say('trouble', 'Something is going on; wait for its end, or cancel it with Esc.')
      return
    }
    const before = desk.wish
    // A session that is given up may be somebody else's at once, so it is kept until there is another.
    const isElsewhere = change.session !== undefined && change.session !== before.session
    if (!isElsewhere) await desk.close()
    try {
      const next = await openDesk(opening, { ...before, ...change }, hooks)
      if (desk.isBusy()) {
        await next.close()
        desk.say('trouble', 'Something was begun meanwhile, so the session is still the same.')
        return
      }
      state.desk = next
      if (isElsewhere) await desk.close()
    } catch (thrown) {
      if (!isElsewhere) state.desk = await openDesk(opening, before, hooks)
      state.desk.say('trouble', describe(thrown))
      return
    }
    state.looks = { opened: new Set(), selected: null }
    attempt(refreshTasks())
    redraw()
    if (change.session !== undefined || change.model !== undefined) await lookForInterruption()
  }

  async function refreshTasks(): Promise<void> {
    if (!state.isShowingTasks) return
    const { runtime, wish: at } = state.desk
    state.tasks = await runtime.tasks({ session: at.session })
    redraw()
  }

  async function lookForInterruption(): Promise<void> {
    const found = await state.desk.findInterruption()
    if (found === null) {
      await mentionPending()
      return
    }
    const choice = await ask.recovery(found)
    state.isUndecided = choice === null
    if (choice === null) {
      state.desk.say('trouble', 'Something was interrupted and is not decided yet; /recover asks again.')
      return
    }
    await state.desk.recover(choice)
    if (choice === 'resume' && state.desk.conversation !== null) await state.desk.talk(null)
  }

  async function mentionPending(): Promise<void> {
    const waiting = await state.desk.runtime.pending({ session: state.desk.wish.session })
    if (waiting.length > 0)
      state.desk.say('plain', `Questions that wait for an answer: ${waiting.length}. /pending shows them.`)
  }

  async function askPending(): Promise<void> {
    const { runtime, wish: at } = state.desk
    const waiting = await runtime.pending({ session: at.session })
    if (waiting.length === 0) {
      state.desk.say('plain', 'Nothing waits for an answer.')
      return
    }
    const end = new AbortController()
    const grantSeconds = runtime.configuration.settings['tools.approval.grant_seconds']
    const answers = await ask.approval(waiting, { signal: end.signal, grantSeconds }, () => end.abort())
    if (answers === 'later') return
    await state.desk.decide(waiting.map(({ id }, index) => [id, answers[index] ?? 'deny'] as const))
    if (state.desk.conversation !== null) await state.desk.talk(null)
  }

  function attempt(work: Promise<void>): void {
    work.catch((thrown: unknown) => {
      state.desk.say('trouble', describe(thrown))
    })
  }

  return { reopen, refreshTasks, lookForInterruption, askPending, attempt }
}

/** What went wrong, with what to do about it where somebody knows. */
function describe(thrown: unknown): string {
  if (thrown instanceof JournalError && SESSION_FAULTS.has(thrown.code))
    return `${thrown.message} /session NAME opens another session.`
  if (thrown instanceof JournalError) return `${thrown.message} ${thrown.hint}`
  if (thrown instanceof BudgetError) return `${thrown.message}; ${thrown.hint}`
  return thrown instanceof Error ? thrown.message : String(thrown)
}

const SESSION_FAULTS: ReadonlySet<string> = new Set(['session_busy', 'wait_stopped'])
