import type { OnBusy } from '../../core/busy-session.ts'
import type { AppState } from './app-state.ts'

const SECOND_MS = 1_000

/** Tells on the app's own screen who owns a session and for how long it is waited for; Esc and Ctrl-C end the waiting. */
export function showWaiting(state: AppState, redraw: () => void): OnBusy {
  return ({ session, message, waitMs }) => {
    const stop = new AbortController()
    let leftMs = waitMs
    const show = (): void => {
      state.hint = `waiting for session ${session}, ${Math.ceil(leftMs / SECOND_MS)} s at most; Esc stops`
      redraw()
    }
    state.desk.say('plain', message)
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
