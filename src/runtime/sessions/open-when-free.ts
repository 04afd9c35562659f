import type { OnBusy } from '../../core/busy-session.ts'
import { JournalError } from '../../journal/journal-error.ts'
import type { SessionLog } from '../../journal/log.ts'

/** Waits shorter than this are not reported: the other command may be about to end. */
const UNNOTICED_MS = 200
/** How soon a cancelled wait is noticed. */
const RETRY_MS = 100

/** Opens a session, waiting up to this long for its owner. */
export type OpenSession = (waitMs: number) => Promise<SessionLog>

/** Opens a session. If another process owns it, `onBusy` is called at once and may end the wait. */
export async function openWhenFree(
  session: string,
  timeoutMs: number,
  open: OpenSession,
  onBusy: OnBusy | undefined,
): Promise<SessionLog> {
  if (onBusy === undefined || timeoutMs <= UNNOTICED_MS) return open(timeoutMs)
  const first = await tryToOpen(open, UNNOTICED_MS)
  if (first.isOpen) return first.log
  const deadline = performance.now() + timeoutMs - UNNOTICED_MS
  const { signal, end } = onBusy({ session, message: first.busy.message, waitMs: timeoutMs })
  try {
    for (;;) {
      if (signal.aborted) throw stopped(first.busy)
      const leftMs = deadline - performance.now()
      const next = await tryToOpen(open, Math.max(0, Math.min(RETRY_MS, leftMs)))
      if (next.isOpen) return next.log
      if (leftMs <= RETRY_MS) throw next.busy
    }
  } finally {
    end()
  }
}

type Attempt =
  | { readonly isOpen: true; readonly log: SessionLog }
  | { readonly isOpen: false; readonly busy: JournalError }

async function tryToOpen(open: OpenSession, waitMs: number): Promise<Attempt> {
  try {
    return { isOpen: true, log: await open(waitMs) }
  } catch (thrown) {
    if (thrown instanceof JournalError && thrown.code === 'session_busy')
      return { isOpen: false, busy: thrown }
    throw thrown
  }
}

function stopped({ message }: JournalError): JournalError {
  return new JournalError(
    'wait_stopped',
    `Nothing was done: ${message}`,
    'Open another session with --session NAME.',
  )
}
