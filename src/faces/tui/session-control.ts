import type { AppOpening } from '../../terminal/app-opening.ts'
import type { AppState } from './app-state.ts'
import { openSession } from './open-session.ts'
import type { AppSession, AppSessionRequest } from './app-session.ts'
import type { AppSessionHooks } from './open-session.ts'
import { explainThrown } from './explain-thrown.ts'
import type { Dialogs } from './sheets/dialogs.ts'

/** What opening again can change. */
export type Reopening = Partial<Pick<AppSessionRequest, 'session' | 'preset'>>

/** What can be done with the session of the app as a whole. */
export interface SessionControl {
  /** Opens the desk again with something changed, by what it is like then; not while it is busy. */
  readonly reopen: (choose: (session: AppSession) => Reopening) => Promise<void>
  /** Resolves once there is a desk to work at, as there is none between a preset and the next; null where there is. */
  readonly settling: () => Promise<void> | null
  /** Tells of what was left here before: an interruption is asked about, questions that wait are mentioned. */
  readonly welcome: () => Promise<void>
  /** Asks what to do with what an interruption left; false where it is left as it is, and null where there is nothing. */
  readonly decideInterruption: () => Promise<boolean | null>
  /** Asks about the questions that wait in this session. */
  readonly askPending: () => Promise<void>
  /** Waits for work beside everything else; what goes wrong in it is said and ends nothing. */
  readonly attempt: (work: Promise<void>) => void
}

/** Makes what works on the session that the state holds. */
export function createSessionControl(
  state: AppState,
  opening: AppOpening,
  hooks: AppSessionHooks,
  dialogs: Dialogs,
): SessionControl {
  const { reopenSession, settling } = createReopening(state, opening, hooks)

  async function reopen(choose: (session: AppSession) => Reopening): Promise<void> {
    if (await reopenSession(choose)) await welcome()
  }

  async function welcome(): Promise<void> {
    if ((await decideInterruption()) === null) await mentionPending()
  }

  async function decideInterruption(): Promise<boolean | null> {
    const found = await state.session.findInterruption()
    const choice = found === null ? null : await dialogs.recovery(found)
    state.isUndecided = found !== null && choice === null
    if (found === null) return null
    if (choice === null) {
      state.session.say('trouble', 'An interruption is still undecided; /recover asks again.')
      return false
    }
    await state.session.recover(choice)
    if (choice === 'resume' && state.session.conversation !== null) await state.session.send(null)
    return true
  }

  async function mentionPending(): Promise<void> {
    const waiting = await state.session.runtime.pending({ session: state.session.request.session })
    if (waiting.length > 0)
      state.session.say('plain', `Calls waiting for approval: ${waiting.length}. /pending shows them.`)
  }

  async function askPending(): Promise<void> {
    if (!state.session.checkIdle()) return
    const { runtime, request: at } = state.session
    const waiting = await runtime.pending({ session: at.session })
    if (waiting.length === 0) {
      state.session.say('plain', 'Nothing is waiting for approval.')
      return
    }
    const end = new AbortController()
    const grantSeconds = runtime.configuration.settings['tools.approval.grant_seconds']
    const answers = await dialogs.approval(waiting, { signal: end.signal, grantSeconds }, () => end.abort())
    if (answers === 'later') return
    await state.session.decide(waiting.map(({ id }, index) => [id, answers[index] ?? 'deny'] as const))
    if (state.session.conversation !== null) await state.session.send(null)
  }

  function attempt(work: Promise<void>): void {
    work.catch((thrown: unknown) => {
      state.session.say('trouble', explainThrown(thrown))
    })
  }

  return { reopen, settling, welcome, decideInterruption, askPending, attempt }
}

/** Opens the session of the state again, or another; true where it is another. */
function createReopening(state: AppState, opening: AppOpening, hooks: AppSessionHooks) {
  let reopened: Promise<void> = Promise.resolve()
  let settling: Promise<void> | null = null

  /** One after the other: a desk that is being opened is not there to be opened again. */
  async function reopenSession(choose: (session: AppSession) => Reopening): Promise<boolean> {
    const { promise, resolve: settle } = Promise.withResolvers<void>()
    settling = promise
    const hasMoved = reopened
      .then(() => openAgain(choose(state.session), settle))
      .finally(() => {
        settle()
        if (settling === promise) settling = null
      })
    reopened = hasMoved.then(
      () => undefined,
      () => undefined,
    )
    return hasMoved
  }

  /** True where another session is open now; `settle` is told early where the desk can be worked at all the time. */
  async function openAgain(change: Reopening, settle: () => void): Promise<boolean> {
    const { session } = state
    if (!session.checkIdle()) return false
    const before = session.request
    // A session that is given up may be somebody else's at once, so it is kept until there is another.
    const isOtherSession = change.session !== undefined && change.session !== before.session
    if (isOtherSession) settle()
    else await session.close()
    try {
      const next = await openSession(opening, { ...before, ...change }, hooks)
      if (isOtherSession && session.isBusy()) {
        await next.close()
        session.say('trouble', 'Something was started meanwhile, so the session was not changed.')
        return false
      }
      state.session = next
      if (isOtherSession) await session.close()
    } catch (thrown) {
      if (!isOtherSession) state.session = await openSession(opening, before, hooks)
      state.session.say('trouble', explainThrown(thrown))
      return false
    }
    state.expanded = { opened: new Set(), selected: null }
    hooks.onChange()
    return isOtherSession
  }

  return { reopenSession, settling: () => settling }
}
