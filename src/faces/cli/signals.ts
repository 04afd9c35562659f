import { DRAIN_MS } from '../../config/fixed-values.ts'
import { DRAINING } from '../../pipeline/approve/wait.ts'
import type { Terminal } from './terminal.ts'

/**
 * Ctrl-C and a request to end both stop the batch: no further call begins, the running one is rolled back, commits are
 * finished. Asking twice changes nothing, because a commit is never torn. A batch that waits for an answer is cancelled by
 * Ctrl-C, and goes on waiting when only the process is to end.
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
