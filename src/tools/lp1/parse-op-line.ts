import type { Lp1Code, Lp1Error } from './lp1-error.ts'
import { columnOf, quoteText } from './lp1-error.ts'

/** The parsed first line of an operation. */
export type OpHead =
  | { readonly letter: 'R' | 'I' | 'P' | 'E'; readonly column: number; readonly occurrence: number | null }
  | { readonly letter: 'T' | 'B'; readonly column: number }
  | { readonly letter: 'N'; readonly column: number; readonly endsInNewline: boolean }

export type OpHeadResult =
  | { readonly ok: true; readonly head: OpHead }
  | { readonly ok: false; readonly error: Lp1Error }

const SHAPE = /^([ \t]*)([RIPETBN])(?![A-Za-z])([ \t]*)([^ \t]*)([ \t]*)(.*)$/su

/** Reads the line that begins an operation; the argument may follow its letter without a blank. */
export function parseOpLine(line: string, number: number): OpHeadResult {
  const fail = (code: Lp1Code, index: number, message: string): OpHeadResult => ({
    ok: false,
    error: { code, line: number, column: columnOf(line, index), message },
  })
  const shape = SHAPE.exec(line)
  if (shape === null) {
    const word = /[^ \t]+/u.exec(line)
    return fail('unknown_op', word?.index ?? 0, explainUnknown(word?.[0] ?? ''))
  }
  const [, indent = '', letter = '', gap = '', argument = '', gapAfter = '', rest = ''] = shape
  const argumentAt = indent.length + 1 + gap.length
  const column = columnOf(line, indent.length)
  const extra = (text: string, index: number): OpHeadResult =>
    fail('unexpected_text', index, `${quoteText(text)} follows ${letter}; nothing may follow it.`)
  const ends = (head: OpHead): OpHeadResult =>
    rest === '' ? { ok: true, head } : extra(rest, argumentAt + argument.length + gapAfter.length)

  switch (letter) {
    case 'T':
    case 'B':
      return argument === ''
        ? { ok: true, head: { letter, column } }
        : extra(line.slice(argumentAt).trimEnd(), argumentAt)
    case 'N': {
      if (argument === '+' || argument === '-')
        return ends({ letter, column, endsInNewline: argument === '+' })
      const shown = argument === '' ? 'nothing' : quoteText(argument)
      const index = argument === '' ? indent.length + 1 : argumentAt
      return fail(
        'invalid_n_flag',
        index,
        `N takes + (end in a newline) or - (end without one), not ${shown}.`,
      )
    }
    case 'R':
    case 'I':
    case 'P':
    case 'E': {
      if (argument === '') return { ok: true, head: { letter, column, occurrence: null } }
      if (!/^[0-9]+$/u.test(argument)) {
        const wanted = `is not an occurrence number; write ${letter} alone, or ${letter} 2 for the second match`
        return fail('invalid_occ', argumentAt, `${quoteText(argument)} ${wanted}.`)
      }
      const occurrence = Number(argument)
      if (occurrence > 0) return ends({ letter, column, occurrence })
      return fail('occ_zero', argumentAt, `Matches are counted from 1; write ${letter} 1 for the first one.`)
    }
    default:
      return fail('unknown_op', indent.length, explainUnknown(letter))
  }
}

function explainUnknown(word: string): string {
  const known = 'the operations are R, I, P, E, T, B and N, and F begins a file'
  if (/^\.+$/u.test(word)) return `${quoteText(word)} ends a block, but none is open here; ${known}.`
  if (/^(?:[ripetbnf]|end)$/u.test(word))
    return `${quoteText(word)} must be upper case: ${word.toUpperCase()}.`
  if (word.startsWith('F'))
    return `${quoteText(word)} is not an operation; a file section is F, a blank and a path.`
  return `${quoteText(word)} is not an operation; ${known}.`
}
