import { readToken } from './elisp-tokens.ts'
import type { ElispToken } from './elisp-tokens.ts'
import { createLocator } from '../../core/text/position.ts'
import { MAX_PROBLEMS, placeFaults } from './syntax-problem.ts'
import type { SyntaxFault, SyntaxProblem } from './syntax-problem.ts'

/** An open bracket; `tail` is what follows the dot of a pair. */
interface Frame {
  readonly start: number
  readonly closer: ')' | ']'
  tail: 'none' | 'wanted' | 'had'
}

/** Finds the syntax errors that keep Emacs from reading Emacs Lisp. */
export function checkElisp(text: string): readonly SyntaxProblem[] {
  const faults: SyntaxFault[] = []
  const frames: Frame[] = []
  let prefix: ElispToken | null = null
  /** Where a form begins in the first column although an earlier one is still open. */
  let nextForm: number | null = null
  let isCut = false

  function noteDatum(offset: number): void {
    prefix = null
    const frame = frames.at(-1)
    if (frame === undefined || frame.tail === 'none') return
    if (frame.tail === 'wanted') frame.tail = 'had'
    else faults.push(secondTail(text, offset))
  }

  for (let at = 0; faults.length < MAX_PROBLEMS;) {
    const token = readToken(text, at)
    if (token.is === 'end') break
    at = token.end
    if (token.is === 'fault') {
      faults.push(token.fault)
      prefix = null
      isCut = token.end >= text.length && token.fault.found === 'the end of the file'
    } else if (token.is === 'prefix') prefix ??= token
    else if (token.is === 'open') {
      if (frames.length > 0 && isFirstInLine(text, token.start)) nextForm ??= token.start
      noteDatum(token.start)
      frames.push({ start: token.start, closer: token.closer, tail: 'none' })
    } else if (token.is === 'datum') noteDatum(token.start)
    else {
      if (prefix !== null) faults.push(nothingQuoted(text, prefix, token.start))
      prefix = null
      if (token.is === 'dot') faults.push(...takeDot(frames.at(-1), token.start))
      else {
        faults.push(...close(text, frames.pop(), token.start))
        if (frames.length === 0) nextForm = null
      }
    }
  }
  // If an unterminated string or comment swallowed the rest, unclosed brackets before it mean nothing.
  if (!isCut && faults.length < MAX_PROBLEMS) {
    if (prefix !== null) faults.push(nothingQuoted(text, prefix, text.length))
    faults.push(
      ...frames
        .slice(0, MAX_PROBLEMS)
        .map((frame, depth) => unclosed(text, frame, frames.length - depth, nextForm)),
    )
  }
  return placeFaults(text, faults)
}

function takeDot(frame: Frame | undefined, offset: number): readonly SyntaxFault[] {
  if (frame?.closer === ')' && frame.tail === 'none') {
    frame.tail = 'wanted'
    return []
  }
  const expected = frame?.closer === ')' ? 'only one dot in a list' : 'a dot only inside a list'
  return [{ offset, expected, found: '"."', suggestion: 'Remove the dot, or write \\. for a symbol.' }]
}

function close(text: string, frame: Frame | undefined, offset: number): readonly SyntaxFault[] {
  const found = `"${text[offset] ?? ''}"`
  if (frame === undefined) {
    const suggestion = `Remove this ${found}, or add the bracket that should open before it.`
    return [{ offset, expected: 'a form, because no bracket is open', found, suggestion }]
  }
  if (text[offset] !== frame.closer) {
    const expected = `"${frame.closer}" for the ${describeOpener(text, frame)}`
    return [{ offset, expected, found, suggestion: `Write "${frame.closer}" here, or correct the opener.` }]
  }
  if (frame.tail !== 'wanted') return []
  return [
    { offset, expected: 'a form after the dot', found, suggestion: 'Write the form, or remove the dot.' },
  ]
}

function unclosed(text: string, frame: Frame, missing: number, nextForm: number | null): SyntaxFault {
  const closer = `"${frame.closer}"`
  const before = nextForm === null || nextForm <= frame.start ? null : createLocator(text)(nextForm).line
  const count = missing === 1 ? closer : `${closer} (${missing} brackets are open here)`
  return {
    offset: frame.start,
    expected: `${closer} for the bracket that opens here`,
    found: 'the end of the file',
    suggestion:
      before === null
        ? `Add ${count} where this form should end.`
        : `Add ${count} before line ${before}, where the next form begins in the first column.`,
  }
}

function nothingQuoted(text: string, prefix: ElispToken, offset: number): SyntaxFault {
  const start = 'start' in prefix ? prefix.start : offset
  const sign = 'end' in prefix ? text.slice(start, prefix.end) : ''
  return {
    offset: start,
    expected: `a form after ${sign}`,
    found: offset >= text.length ? 'the end of the file' : `"${text[offset] ?? ''}"`,
    suggestion: `Write the form, or remove ${sign}.`,
  }
}

function secondTail(text: string, offset: number): SyntaxFault {
  return {
    offset,
    expected: '")" after the one form that follows a dot',
    found: `"${text.slice(offset, offset + 1)}"`,
    suggestion: 'Remove the dot, or end the list here.',
  }
}

function describeOpener(text: string, { start }: Frame): string {
  const { line, column } = createLocator(text)(start)
  return `bracket that opens at line ${line}, column ${column}`
}

function isFirstInLine(text: string, offset: number): boolean {
  return offset === 0 || text[offset - 1] === '\n'
}
