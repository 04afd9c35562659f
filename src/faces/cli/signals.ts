import { DRAIN_MS } from '../../config/fixed-values.ts'
import { DRAINING } from '../../pipeline/approve/wait.ts'
import type { Terminal } from './terminal.ts'

const ENDING = ['SIGTERM', 'SIGHUP'] as const

/**
 * Ctrl-C, SIGTERM and SIGHUP all stop the batch: no further call starts, the running one is rolled back, and commits
 * finish. A second signal changes nothing, because a commit is never torn. A batch that waits for approval is cancelled
 * by Ctrl-C; it keeps waiting after SIGTERM, and after SIGHUP, which a closed terminal sends.
 */
export function stopBatchOnSignals(stop: AbortController, terminal: Terminal): () => void {
  let deadline: NodeJS.Timeout | undefined
  const onInterrupt = (): void => {
    if (stop.signal.aborted) terminal.warn('tongs: stopping after the commit in progress')
    stop.abort()
  }
  const onTerminate = (_name: NodeJS.Signals, number: number): void => {
    stop.abort(DRAINING)
    deadline ??= setTimeout(() => process.exit(128 + number), DRAIN_MS).unref()
  }
  process.on('SIGINT', onInterrupt)
  for (const signal of ENDING) process.on(signal, onTerminate)
  return () => {
    process.off('SIGINT', onInterrupt)
    for (const signal of ENDING) process.off(signal, onTerminate)
    clearTimeout(deadline)
  }
}

/** Ends a server at the first signal; a second one ends the process. */
export function endOnSignals(stop: AbortController): () => void {
  const onSignal = (_name: NodeJS.Signals, number: number): void => {
    if (stop.signal.aborted) process.exit(128 + number)
    stop.abort(DRAINING)
  }
  const names = ['SIGINT', ...ENDING] as const
  for (const name of names) process.on(name, onSignal)
  return () => {
    for (const name of names) process.off(name, onSignal)
  }
}
