import { agreeOnce } from '../../core/approval.ts'
import type { Approver, Asking } from '../../core/approval.ts'
import { sanitise } from '../../core/text/display/sanitise.ts'
import type { AppOpening } from '../../terminal/app-opening.ts'
import { askInTurn } from '../../terminal/ask-in-turn.ts'
import { CLEAR_ROW } from '../../terminal/terminal-sequences.ts'
import { printWaiting } from '../../terminal/wait-notice.ts'
import { freshState } from './app-state.ts'
import type { AppState } from './app-state.ts'
import { findOffer } from './last-session.ts'
import { openSession } from './open-session.ts'
import { LATEST } from './open-session-model.ts'
import type { AppSession } from './app-session.ts'
import type { AppSessionHooks } from './open-session.ts'
import type { Dialogs } from './sheets/dialogs.ts'
import type { OnBusy } from '../../core/busy-session.ts'

/** Opens the requested session and the state of the app. */
export async function openAppState(
  opening: AppOpening,
  dialogs: Dialogs,
  onChange: () => void,
): Promise<{ readonly state: AppState; readonly hooks: AppSessionHooks }> {
  const person = askInTurn<Asking>(
    async (requests, asking) => {
      state.session.catchUp()
      const answers = await dialogs.approval(requests, asking, () => state.session.cancel())
      const isPutOff = answers === 'later' && !asking.signal.aborted
      if (isPutOff) state.session.say('plain', 'Postponed; /pending asks again.')
      return answers
    },
    () => performance.now(),
  )
  const approve: Approver = opening.isAgreeing ? agreeOnce : person
  const output = {
    write: (text: string) => void process.stderr.write(sanitise(text)),
    clearRow: () => void process.stderr.write(CLEAR_ROW),
    canRewrite: !isPlain(),
  }
  // There is no screen yet to show that another process has the session.
  const state = freshState(await openFirst(opening, { approve, onChange, onBusy: printWaiting(output) }))
  // With a session of one's own choice there is nothing to offer.
  if (opening.session === null && !opening.isContinuing)
    state.offer = await findOffer(state.session.runtime, Date.now())
  if (state.offer !== null) state.session.say('plain', state.offer.says)
  const onBusy = isPlain() ? printWaiting(output) : showWaiting(state, onChange)
  return { state, hooks: { approve, onChange, onBusy } }
}

function isPlain(): boolean {
  return process.env['TERM'] === 'dumb'
}

function openFirst(opening: AppOpening, hooks: AppSessionHooks): Promise<AppSession> {
  const { session, isContinuing, preset, model } = opening
  return openSession(opening, { session, isContinuing, preset, model: model ?? LATEST }, hooks)
}

const SECOND_MS = 1_000

/** Shows on the app's screen who owns a session and how long the wait lasts; Esc and Ctrl-C stop waiting. */
function showWaiting(state: AppState, redraw: () => void): OnBusy {
  return ({ session, message, waitMs }) => {
    const stop = new AbortController()
    let leftMs = waitMs
    const show = (): void => {
      state.hint = `waiting up to ${Math.ceil(leftMs / SECOND_MS)} s for session ${session}; Esc stops`
      redraw()
    }
    state.session.say('plain', message)
    const before = state.stopWaiting
    state.stopWaiting = () => stop.abort()
    show()
    const timer = setInterval(() => {
      leftMs = Math.max(0, leftMs - SECOND_MS)
      show()
    }, SECOND_MS)
    return {
      signal: stop.signal,
      end: () => {
        clearInterval(timer)
        state.stopWaiting = before
        state.hint = null
        redraw()
      },
    }
  }
}
