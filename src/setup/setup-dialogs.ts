/** One thing to choose. */
export interface Choice<T> {
  readonly label: string
  /** What is known about it, in a few words. */
  readonly note?: string
  /** More words by which it is found, read when a search needs them. */
  readonly words?: () => string
  readonly value: T
}

/** A question with choices. */
export interface ChoiceQuestion<T> {
  readonly title: string
  readonly rows?: readonly string[]
  readonly choices: readonly Choice<T>[]
  /** Takes a typed text that no choice contains; without it only the choices count. */
  readonly other?: (typed: string) => T | null
  /** What Enter does, in words. */
  readonly enter?: string
  /** Whether the person opened the list with a key, and types on without waiting for it. */
  readonly isExpected?: boolean
  /** Whether taking a choice means all of those above it too. */
  readonly takesAbove?: boolean
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

/** The choices that a typed text finds. */
export type ChoiceFilter<T> = (typed: string) => readonly Choice<T>[]

/**
 * Finds choices for as long as their question is open. Those with all of the typed words in the label come first, then
 * those with some in the note, then in the further words, which are read once at most; in a list where taking one means
 * those above it, the order stays.
 */
export function createFilter<T>({
  choices,
  takesAbove = false,
}: Pick<ChoiceQuestion<T>, 'choices' | 'takesAbove'>): ChoiceFilter<T> {
  const further = new Map<Choice<T>, string>()
  let last: { readonly typed: string; readonly found: readonly Choice<T>[] } | null = null

  function wordsOf(choice: Choice<T>): string {
    const words = further.get(choice) ?? choice.words?.().toLowerCase() ?? ''
    further.set(choice, words)
    return words
  }

  function rankOf(choice: Choice<T>, typed: string): number | null {
    const label = choice.label.toLowerCase()
    if (label === typed) return 0
    const inLabel = missingIn(typed.split(/\s+/).filter(Boolean), label)
    if (inLabel.length === 0) return 1
    const inNote = missingIn(inLabel, (choice.note ?? '').toLowerCase())
    if (inNote.length === 0) return 2
    return missingIn(inNote, wordsOf(choice)).length === 0 ? 3 : null
  }

  return (text) => {
    const typed = text.trim().toLowerCase()
    if (last?.typed === typed) return last.found
    const ranked = choices.flatMap((choice) => {
      const rank = rankOf(choice, typed)
      return rank === null ? [] : [{ choice, rank }]
    })
    const sorted = takesAbove ? ranked : ranked.toSorted((one, other) => one.rank - other.rank)
    last = { typed, found: sorted.map(({ choice }) => choice) }
    return last.found
  }
}

function missingIn(words: readonly string[], text: string): readonly string[] {
  return words.filter((word) => !text.includes(word))
}
