import { DRAIN_MS } from '../../config/fixed-values.ts'
import { sanitise } from '../../core/text/display/sanitise.ts'
import { DRAINING } from '../../pipeline/approve/wait.ts'
import type { AppState } from './app-state.ts'

/** An internal error must not leave the terminal unusable: it ends the app and is shown after the screen is restored. */
export function guardScreen(fail: (error: unknown) => void): () => void {
  process.on('uncaughtException', fail)
  process.on('unhandledRejection', fail)
  return () => {
    process.off('uncaughtException', fail)
    process.off('unhandledRejection', fail)
  }
}

/** On a signal or a closed terminal: the commit in progress finishes, and pending approvals keep waiting. */
export function stopOnSignals(state: AppState, leave: (code: number) => void): () => void {
  const onEnd = (): void => {
    state.isQuitting = true
    state.stopWaiting?.()
    state.session.cancel(DRAINING)
    setTimeout(() => process.exit(143), DRAIN_MS).unref()
    void state.session.idle().then(() => leave(143))
  }
  process.on('SIGTERM', onEnd)
  process.on('SIGHUP', onEnd)
  return () => {
    process.off('SIGTERM', onEnd)
    process.off('SIGHUP', onEnd)
  }
}

/** Printed when the app has ended. */
export function sayFarewell({ session }: AppState): string {
  const wayBack = session.isBegun() ? 'tongs --continue resumes it' : 'nothing was recorded in it'
  return `tongs: left session ${sanitise(session.request.session, { oneLine: true })}; ${wayBack}\n`
}
