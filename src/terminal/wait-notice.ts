import type { OnBusy } from '../core/busy-session.ts'
import { sanitise } from '../core/text/display/sanitise.ts'

const SECOND_MS = 1_000

/** Where to write the notice. */
export interface NoticeOutput {
  readonly write: (text: string) => void
  /** Clears the row that the cursor is in. */
  readonly clearRow: () => void
  /** Whether a row can be overwritten, to show the time left. */
  readonly canRewrite: boolean
}

/** Shows on a terminal who owns a session and how long the wait lasts; Ctrl-C stops waiting. */
export function printWaiting({ write, clearRow, canRewrite }: NoticeOutput): OnBusy {
  return ({ message, waitMs }) => {
    const stop = new AbortController()
    let leftMs = waitMs
    const row = (): string => `tongs: waiting up to ${Math.ceil(leftMs / SECOND_MS)} s; Ctrl-C stops`
    const onInterrupt = (): void => stop.abort()
    write(`tongs: ${sanitise(message)}\n${row()}${canRewrite ? '' : '\n'}`)
    process.on('SIGINT', onInterrupt)
    const timer = setInterval(() => {
      leftMs = Math.max(0, leftMs - SECOND_MS)
      if (!canRewrite) return
      clearRow()
      write(row())
    }, SECOND_MS)
    return {
      signal: stop.signal,
      end: () => {
        clearInterval(timer)
        process.off('SIGINT', onInterrupt)
        if (canRewrite) clearRow()
      },
    }
  }
}
