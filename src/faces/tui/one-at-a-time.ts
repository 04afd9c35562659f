/** Runs one cancellable job at a time. */
export interface OneAtATime {
  readonly isBusy: () => boolean
  /** Whether the running work was told to stop. */
  readonly isStopping: () => boolean
  /** Runs a job to its end; false if another one is running, and then this one is not started. */
  readonly run: (job: (signal: AbortSignal) => Promise<void>) => Promise<boolean>
  /** Stops the running work; false if there is none. */
  readonly cancel: (reason?: string) => boolean
  /** Resolves when no work is running. */
  readonly idle: () => Promise<void>
}

/** Called at the start and the end of a job, and with what it threw. */
interface WorkHooks {
  readonly onBegin: () => void
  readonly onEnd: () => void
  readonly onThrown: (thrown: unknown) => void
}

/** Creates the runner. */
export function createOneAtATime({ onBegin, onEnd, onThrown }: WorkHooks): OneAtATime {
  let current: { readonly stop: AbortController; readonly ended: Promise<void> } | null = null
  return {
    isBusy: () => current !== null,
    isStopping: () => current?.stop.signal.aborted ?? false,
    async run(job) {
      if (current !== null) return false
      const stop = new AbortController()
      current = { stop, ended: job(stop.signal).catch(onThrown) }
      onBegin()
      await current.ended
      current = null
      onEnd()
      return true
    },
    cancel(reason) {
      current?.stop.abort(reason)
      return current !== null
    },
    async idle() {
      await current?.ended
    },
  }
}
