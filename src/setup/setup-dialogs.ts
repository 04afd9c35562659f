/** One thing to choose. */
export interface Choice<T> {
  readonly label: string
  /** What is known about it, in a few words. */
  readonly note?: string
  readonly value: T
}

/** A question with choices. */
export interface ChoiceQuestion<T> {
  readonly title: string
  readonly rows?: readonly string[]
  readonly choices: readonly Choice<T>[]
  /** Takes a typed text that no choice contains; without it only the choices count. */
  readonly other?: (typed: string) => T | null
}

/** A question with a typed answer. */
export interface TextQuestion {
  readonly title: string
  readonly rows?: readonly string[]
  /** Whether the answer is never shown. */
  readonly isSecret?: boolean
}

/** How a person is asked during setup; null always means that they went back or left. */
export interface SetupDialogs {
  readonly choose: <T>(question: ChoiceQuestion<T>) => Promise<T | null>
  readonly type: (question: TextQuestion) => Promise<string | null>
  /** Says what is going on while it lasts; the signal aborts if the person does not want to wait. */
  readonly during: <T>(what: string, work: (signal: AbortSignal) => Promise<T>) => Promise<T | null>
}

/** The choice that a typed text names in full, whatever its case, or that alone has it in its label; null if there is none. */
export function namedChoice<T>(choices: readonly Choice<T>[], typed: string): Choice<T> | null {
  const text = typed.trim().toLowerCase()
  const exact = choices.find(({ label }) => label.toLowerCase() === text)
  if (exact !== undefined) return exact
  const [only, ...others] = choices.filter(({ label }) => label.toLowerCase().includes(text))
  return only !== undefined && others.length === 0 ? only : null
}

/** The choices that a typed text means: those whose label contains all of its words, then those with some in the note. */
export function filterChoices<T>(choices: readonly Choice<T>[], typed: string): readonly Choice<T>[] {
  const words = typed.toLowerCase().split(/\s+/).filter(Boolean)
  const hasAll = (text: string): boolean => words.every((word) => text.toLowerCase().includes(word))
  const [byLabel, others] = [
    choices.filter(({ label }) => hasAll(label)),
    choices.filter(({ label }) => !hasAll(label)),
  ]
  return [...byLabel, ...others.filter(({ label, note = '' }) => hasAll(`${label} ${note}`))]
}
