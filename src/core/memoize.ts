/** Creates a value on first use and keeps it. */
export function once<T extends object>(make: () => T): () => T {
  let made: T | null = null
  return () => (made ??= make())
}

/** Memoizes the last result of a function of two values. */
export function memoizeLast<One, Other, Answer>(
  work: (one: One, other: Other) => Answer,
): (one: One, other: Other) => Answer {
  let last: { readonly one: One; readonly other: Other; readonly answer: Answer } | null = null
  return (one, other) => {
    if (last === null || last.one !== one || last.other !== other)
      last = { one, other, answer: work(one, other) }
    return last.answer
  }
}
