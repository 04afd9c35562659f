import { createLocator } from '../../core/text/position.ts'

/** A syntax error: where it is, what was expected, what was found, and what to do. */
export interface SyntaxProblem {
  readonly line: number
  readonly column: number
  readonly expected: string
  readonly found: string
  readonly suggestion: string
  readonly message: string
}

/** A problem whose position is not known yet. */
export interface SyntaxFault {
  readonly offset: number
  readonly expected: string
  readonly found: string
  readonly suggestion: string
}

/** More problems than this say nothing new. */
export const MAX_PROBLEMS = 20

/** Gives faults their positions, in text order. */
export function placeFaults(text: string, faults: readonly SyntaxFault[]): readonly SyntaxProblem[] {
  const locate = createLocator(text)
  return faults
    .toSorted((one, other) => one.offset - other.offset)
    .slice(0, MAX_PROBLEMS)
    .map(({ offset, ...said }) => problemAt({ ...locate(offset), ...said }))
}

/** Adds the message, one sentence with all of the facts. */
export function problemAt(facts: Omit<SyntaxProblem, 'message'>): SyntaxProblem {
  const { line, column, expected, found } = facts
  return { ...facts, message: `line ${line}, column ${column}: expected ${expected}, found ${found}` }
}

/** A character as shown in messages. */
export function quoteCharacter(text: string, offset: number): string {
  const point = text.codePointAt(offset)
  if (point === undefined) return 'the end of the file'
  if (point === 0x0a || point === 0x0d) return 'the end of the line'
  if (/[\p{C}\p{Z}]/u.test(String.fromCodePoint(point)) && point !== 0x20) {
    return `U+${point.toString(16).toUpperCase().padStart(4, '0')}`
  }
  return `"${String.fromCodePoint(point)}"`
}

/** Describes a position where a text does not match its grammar. */
export function describeTreeFault(
  text: string,
  grammar: string,
  { offset, missing }: { readonly offset: number; readonly missing: string | null },
): SyntaxFault {
  const found = quoteCharacter(text, offset)
  return missing === null
    ? {
        offset,
        expected: `valid ${grammar}`,
        found,
        suggestion: 'Look at this place and the lines before it.',
      }
    : { offset, expected: `"${missing}"`, found, suggestion: `Add "${missing}" here or before it.` }
}
