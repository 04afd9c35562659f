import { USUAL_SESSION } from '../../config/fixed-values.ts'
import { agreeOnce } from '../../core/approval.ts'
import type { Approver } from '../../core/approval.ts'
import { createRuntime } from '../../runtime/create-runtime.ts'
import type { AppOpening } from '../../terminal/app-opening.ts'
import { printWaiting } from '../../terminal/wait-notice.ts'
import { freshState } from './app-state.ts'
import type { AppState } from './app-state.ts'
import { openSession } from './open-session.ts'
import { CONFIGURED, LATEST } from './open-session-model.ts'
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
  const person: Approver = async (requests, asking) => {
    state.session.catchUp()
    const answers = await dialogs.approval(requests, asking, () => state.session.cancel())
    const isPutOff = answers === 'later' && !asking.signal.aborted
    if (isPutOff) state.session.say('plain', 'Postponed; /pending asks again.')
    return answers
  }
  const approve = opening.isAgreeing ? agreeOnce : person
  const output = { write: (text: string) => void process.stderr.write(text), canRewrite: !isPlain() }
  // There is no screen yet to show that another process has the session.
  const state = freshState(await openFirst(opening, { approve, onChange, onBusy: printWaiting(output) }))
  const onBusy = isPlain() ? printWaiting(output) : showWaiting(state, onChange)
  return { state, hooks: { approve, onChange, onBusy } }
}

function isPlain(): boolean {
  return process.env['TERM'] === 'dumb'
}

async function openFirst(opening: AppOpening, hooks: AppSessionHooks): Promise<AppSession> {
  const { session, preset, model, isContinuing } = opening
  const name = session ?? (isContinuing ? await findNewest(opening) : null) ?? USUAL_SESSION
  return openSession(
    opening,
    { session: name, preset, model: model ?? (isContinuing ? LATEST : CONFIGURED) },
    hooks,
  )
}

/** The session that was written to last, from the journal; another process may be using it. */
async function findNewest({ root, stateDir, preset, load }: AppOpening): Promise<string | null> {
  const runtime = await createRuntime({ root, stateDir, loaded: await load(preset), periodic: false })
  try {
    return runtime.sessions()[0]?.name ?? null
  } finally {
    await runtime.close()
  }
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
        state.stopWaiting = null
        state.hint = null
        redraw()
      },
    }
  }
}
