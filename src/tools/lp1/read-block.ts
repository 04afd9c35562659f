import { indexOfLoneSurrogate } from './file-lines.ts'
import type { Lp1Error } from './lp1-error.ts'
import { columnOf, quoteText } from './lp1-error.ts'

/** Which block of which operation is being read, for error messages. */
export type BlockRole = {
  readonly letter: string
  readonly name: 'find' | 'new'
  readonly line: number
  readonly column: number
}

export type BlockResult =
  | { readonly ok: true; readonly texts: readonly string[]; readonly next: number }
  | { readonly ok: false; readonly error: Lp1Error }

const TERMINATOR = /^\.[ \t]*$/u

/** Reads the block that begins at index `start`; `next` is the index after its terminator. */
export function readBlock(lines: readonly string[], start: number, role: BlockRole): BlockResult {
  const texts: string[] = []
  for (let at = start; at < lines.length; at += 1) {
    const line = lines[at] ?? ''
    if (TERMINATOR.test(line)) return { ok: true, texts, next: at + 1 }
    const error = checkContent(line, at + 1, role)
    if (error !== undefined) return { ok: false, error }
    texts.push(line.startsWith('..') ? line.slice(1) : line)
  }
  const where = `The ${role.name} block of ${role.letter} that begins on line ${start + 1} is still open`
  const remedy = `end it with a line that is just "."${needs(role.letter)}`
  return {
    ok: false,
    error: {
      code: 'unterminated_block',
      line: role.line,
      column: role.column,
      message: `${where} at the end of the patch (line ${lines.length}); ${remedy}.`,
    },
  }
}

function checkContent(line: string, number: number, role: BlockRole): Lp1Error | undefined {
  if (line.startsWith('.') && !line.startsWith('..')) {
    const remedy = 'write it with two to mean text, or "." alone to end the block'
    const message = `${quoteText(line)} begins with a single dot; ${remedy}.`
    return { code: 'bad_dot_stuffing', line: number, column: 1, message }
  }
  return role.name === 'new' ? checkWritable(line, number) : undefined
}

/** Text that would read back as something else must not be written to a file. */
function checkWritable(line: string, number: number): Lp1Error | undefined {
  const cr = line.indexOf('\r')
  if (cr >= 0) {
    const message = 'This line contains a carriage return, which would make a broken line ending; remove it.'
    return { code: 'bare_cr', line: number, column: columnOf(line, cr), message }
  }
  if (line.isWellFormed()) return undefined
  const message =
    'This line contains half of a surrogate pair, which has no UTF-8 form; write the whole character.'
  return { code: 'invalid_utf8', line: number, column: columnOf(line, indexOfLoneSurrogate(line)), message }
}

function needs(letter: string): string {
  return 'RIP'.includes(letter) ? ` (${letter} takes two blocks: find, then new)` : ''
}
