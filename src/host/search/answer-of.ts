import type { Worker } from 'node:worker_threads'
import { failure } from '../../core/error.ts'

/** When to give up on an answer. */
export interface AskOptions {
  readonly signal: AbortSignal
  readonly mostMs: number
  /** What to fail with after that time. */
  readonly tooSlow: () => Error
}

/** Waits for the next answer of a worker that runs patterns. The caller ends a worker that gave none. */
export function answerOf<T>(worker: Worker, { signal, mostMs, tooSlow }: AskOptions): Promise<T> {
  return new Promise((resolve, reject) => {
    const end = (finish: () => void): void => {
      clearTimeout(timer)
      signal.removeEventListener('abort', onAbort)
      worker.off('message', onAnswer)
      worker.off('error', onError)
      worker.off('exit', onExit)
      finish()
    }
    const onAnswer = (found: T): void => end(() => resolve(found))
    const onError = (error: unknown): void => end(() => reject(error))
    const onExit = (): void =>
      end(() =>
        reject(failure('execution_failed', 'The search ended early.', {}, ['Search fewer files at a time.'])),
      )
    const onAbort = (): void => end(() => reject(signal.reason))
    const timer = setTimeout(() => end(() => reject(tooSlow())), mostMs)
    signal.addEventListener('abort', onAbort, { once: true })
    worker.on('message', onAnswer)
    worker.on('error', onError)
    worker.on('exit', onExit)
  })
}
