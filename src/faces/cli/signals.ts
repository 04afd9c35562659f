import { DRAIN_MS } from '../../config/fixed-values.ts'
import { DRAINING } from '../../pipeline/approve/wait.ts'
import type { Terminal } from './terminal.ts'

/**
 * Ctrl-C and SIGTERM both stop the batch: no further call starts, the running one is rolled back, and commits finish.
 * A second signal changes nothing, because a commit is never torn. A batch that waits for approval is cancelled by
 * Ctrl-C, and keeps waiting after SIGTERM.
 */
export function stopBatchOnSignals(stop: AbortController, terminal: Terminal): () => void {
  let deadline: NodeJS.Timeout | undefined
  const onInterrupt = (): void => {
    if (stop.signal.aborted) terminal.warn('tongs: stopping after the commit in progress')
    stop.abort()
  }
  const onTerminate = (): void => {
    stop.abort(DRAINING)
    deadline ??= setTimeout(() => process.exit(143), DRAIN_MS).unref()
  }
  process.on('SIGINT', onInterrupt)
  process.on('SIGTERM', onTerminate)
  return () => {
    process.off('SIGINT', onInterrupt)
    process.off('SIGTERM', onTerminate)
    clearTimeout(deadline)
  }
}
