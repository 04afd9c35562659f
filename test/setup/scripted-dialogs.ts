import type { SetupDialogs } from '../../src/setup/setup-dialogs.ts'

/** An answer: a label to choose, a text to type, or leaving. */
export type ScriptedAnswer = string | null

/** Dialogs that answer by a script, and everything that was asked and said. */
export interface ScriptedDialogs extends SetupDialogs {
  readonly seen: readonly string[]
  /** The answers that nothing asked for. */
  readonly unused: () => readonly ScriptedAnswer[]
}

/** Plays a person. A choice is taken by the beginning of its label; what fits none is typed. */
export function playDialogs(
  answers: readonly ScriptedAnswer[],
  signal: AbortSignal = new AbortController().signal,
): ScriptedDialogs {
  const left = [...answers]
  const seen: string[] = []
  const next = (title: string): ScriptedAnswer => {
    const answer = left.shift()
    if (answer === undefined) throw new Error(`nobody expected the question ${JSON.stringify(title)}`)
    return answer
  }
  return {
    seen,
    unused: () => left,
    async choose({ title, rows = [], choices, other }) {
      seen.push(title, ...rows, ...choices.map(({ label, note = '' }) => `- ${label} ${note}`.trimEnd()))
      const answer = next(title)
      if (answer === null) return null
      const chosen = choices.find(({ label }) => label.startsWith(answer))
      if (chosen !== undefined) return chosen.value
      const typed = other?.(answer) ?? null
      if (typed === null)
        throw new Error(`${answer} is not among ${choices.map(({ label }) => label).join()}`)
      return typed
    },
    async type({ title, rows = [] }) {
      seen.push(title, ...rows)
      return next(title)
    },
    async during(what, work) {
      seen.push(what)
      return work(signal)
    },
  }
}
