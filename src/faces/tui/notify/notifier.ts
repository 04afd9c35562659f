/** What a person may want to know about while they look elsewhere. */
export type News = 'ended' | 'asked'

/** The state of the app that news come from. */
export interface NewsFacts {
  readonly isBusy: boolean
  readonly isAsking: boolean
}

/** Notices news, and passes them on if nobody is at the keyboard. */
export interface Notifier {
  /** Compares the state with the last one. */
  readonly observe: (facts: NewsFacts) => void
  /** A key was pressed, so a person is looking. */
  readonly attend: () => void
  readonly stop: () => void
}

/**
 * Creates a notifier; `send` is called if the last key was pressed this long ago when work ends, or while a question is
 * open. Work that ends sooner was waited for, and may be read without a key.
 */
export function createNotifier(afterMs: number, send: (news: News) => void): Notifier {
  let before: NewsFacts = { isBusy: false, isAsking: false }
  let attendedAt = Date.now()
  let timer: NodeJS.Timeout | undefined

  const untilAway = (): number => attendedAt + afterMs - Date.now()

  return {
    observe(facts) {
      const { isBusy, isAsking } = before
      before = facts
      if (!facts.isAsking || !facts.isBusy) clearTimeout(timer)
      if (facts.isBusy && facts.isAsking && !isAsking)
        timer = setTimeout(() => send('asked'), Math.max(0, untilAway())).unref()
      else if (!facts.isBusy && isBusy && untilAway() <= 0) send('ended')
    },
    attend() {
      attendedAt = Date.now()
      clearTimeout(timer)
    },
    stop: () => clearTimeout(timer),
  }
}
