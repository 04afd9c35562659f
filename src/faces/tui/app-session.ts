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
    await desk.close()
    try {
      state.desk = await openDesk(opening, { ...before, ...change }, hooks)
    } catch (thrown) {
      state.desk = await openDesk(opening, before, hooks)
      state.desk.say('trouble', thrown instanceof Error ? thrown.message : String(thrown))
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
      state.desk.say('trouble', thrown instanceof Error ? thrown.message : String(thrown))
    })
  }

  return { reopen, refreshTasks, lookForInterruption, askPending, attempt }
}
