import { refused } from './explain-error.ts'

/** Runs one thing at a time in a session, and stops it when it is told to. */
export class OneAtATime {
  #running: { readonly stop: AbortController; readonly end: Promise<unknown> } | null = null

  /** Runs something, or refuses it while something else runs; `stop` is aborted when it is cancelled. */
  async run<T>(act: (stop: AbortController) => Promise<T>, outside?: AbortSignal): Promise<T> {
    if (this.#running !== null)
      throw refused('Something is still running in this session.', ['Wait for it to end, or cancel it.'])
    const stop = new AbortController()
    const onAbort = (): void => stop.abort()
    outside?.addEventListener('abort', onAbort, { once: true })
    if (outside?.aborted === true) onAbort()
    const running = act(stop)
    this.#running = { stop, end: running.catch(() => undefined) }
    try {
      return await running
    } finally {
      outside?.removeEventListener('abort', onAbort)
      this.#running = null
    }
  }

  /** Stops what is running; resolves when it has ended. */
  async stop(reason?: unknown): Promise<void> {
    this.#running?.stop.abort(reason)
    await this.#running?.end
  }
}
