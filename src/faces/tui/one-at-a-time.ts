/** Work that takes a while and can be stopped, one piece at a time. */
export interface OneAtATime {
  readonly isBusy: () => boolean
  /** Whether what is going on has been told to stop. */
  readonly isStopping: () => boolean
  /** Does a piece of work to its end; false where another is going on, so that this one was not begun. */
  readonly run: (job: (signal: AbortSignal) => Promise<void>) => Promise<boolean>
  /** Stops what is going on; false where nothing is. */
  readonly cancel: (reason?: string) => boolean
  /** Resolves once nothing is going on. */
  readonly idle: () => Promise<void>
}

/** What is told of work: its beginning and end, and what was thrown in it, which ends nothing else. */
interface WorkHooks {
  readonly onBegin: () => void
  readonly onEnd: () => void
  readonly onThrown: (thrown: unknown) => void
}

/** Makes a place where one thing is done at a time. */
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
