/** A second, naive reading of the operations for files that use LF only, to hold the real one against. */
export type PlainOp = {
  letter: 'R' | 'I' | 'P' | 'E' | 'T' | 'B' | 'N+' | 'N-'
  occurrence: number | null
  find: string[]
  fresh: string[]
}

/** The text after all operations, null for no file, or the code of the first error. */
export function referenceApply(before: string | null, ops: readonly PlainOp[]): string | null {
  let lines = before === null || before === '' ? [] : before.replace(/\n$/u, '').split('\n')
  let newline = before === null || before.endsWith('\n')
  if (before === null && ops.some((op) => 'RIPE'.includes(op.letter))) return '! missing_file_for_match_op'
  for (const op of ops) {
    if (op.letter === 'T') lines = lines.concat(op.fresh)
    else if (op.letter === 'B') lines = op.fresh.concat(lines)
    else if (op.letter === 'N+') {
      if (lines.length === 0) lines = ['']
      newline = true
    } else if (op.letter === 'N-') {
      if (newline && lines.length === 1 && lines[0] === '') lines = []
      newline = false
    } else {
      if (op.find.length === 0) return '! empty_find'
      const starts = startsOf(lines, op.find)
      const start = starts[(op.occurrence ?? 1) - 1]
      if (starts.length === 0) return '! match_not_found'
      if (op.occurrence === null && starts.length > 1) return '! match_not_unique'
      if (start === undefined) return '! occ_out_of_range'
      const [above, found, below] = cut(lines, start, op.find.length)
      if (op.letter === 'R') lines = [...above, ...op.fresh, ...below]
      if (op.letter === 'E') lines = [...above, ...below]
      if (op.letter === 'I') lines = [...above, ...found, ...op.fresh, ...below]
      if (op.letter === 'P') lines = [...above, ...op.fresh, ...found, ...below]
    }
  }
  const text = lines.join('\n') + (newline && lines.length > 0 ? '\n' : '')
  return before === null && text === '' ? null : text
}

/** Every index at which the run begins. */
export function startsOf(lines: readonly string[], run: readonly string[]): number[] {
  return lines
    .map((_, index) => index)
    .filter((start) => run.every((text, offset) => lines[start + offset] === text))
}

function cut(lines: string[], start: number, count: number): [string[], string[], string[]] {
  return [lines.slice(0, start), lines.slice(start, start + count), lines.slice(start + count)]
}
