/** Characters that take two columns, by their blocks. */
const WIDE =
  /[\u1100-\u115F\u231A\u231B\u2329\u232A\u23E9-\u23F3\u25FD\u25FE\u2614-\u27BF\u2B1B-\u2B55\u2E80-\u303E\u3041-\uA4CF\uA960-\uA97F\uAC00-\uD7A3\uF900-\uFAFF\uFE10-\uFE19\uFE30-\uFE6F\uFF00-\uFF60\uFFE0-\uFFE6\u{16FE0}-\u{18DFF}\u{1AFF0}-\u{1B2FF}\u{1D300}-\u{1D376}\u{1F000}-\u{1FAFF}\u{20000}-\u{3FFFD}]/u

const PLAIN = /^[\u0020-\u007e]*$/
const STYLE = /\u001b\[[0-9;]*m/g
const PIECE = /\u001b\[[0-9;]*m|./gsu

/**
 * The most columns a text may take on any terminal, without its styles. Every mark counts as one, and the parts of a
 * joined emoji count each: too much rather than too little, because a row that the terminal breaks could pass for two.
 */
export function columnsOf(text: string): number {
  if (PLAIN.test(text)) return text.length
  let columns = 0
  for (const character of text.replaceAll(STYLE, '')) columns += WIDE.test(character) ? 2 : 1
  return columns
}

/** Breaks a text into rows that no terminal of this width will break again. */
export function breakRows(text: string, columns: number): readonly string[] {
  if (columnsOf(text) <= columns) return [text]
  const rows: string[] = []
  let row = ''
  let used = 0
  for (const [piece] of text.matchAll(PIECE)) {
    const needed = columnsOf(piece)
    if (used + needed > columns && used > 0) {
      rows.push(row)
      row = ''
      used = 0
    }
    row += piece
    used += needed
  }
  return [...rows, row]
}

/** The start of a text that would take more columns, with a sign that there is more after it. */
export function truncateEnd(text: string, columns: number): string {
  if (PLAIN.test(text)) return text.length <= columns ? text : `${text.slice(0, Math.max(0, columns - 1))}…`
  let used = 0
  /** Where the text ends if the sign has to follow. */
  let end = 0
  for (const match of text.matchAll(PIECE)) {
    const [piece] = match
    used += columnsOf(piece)
    if (used < columns) end = match.index + piece.length
    if (used <= columns) continue
    const shown = text.slice(0, end)
    return shown.includes('\u001b') ? `${shown}\u001b[0m…` : `${shown}…`
  }
  return text
}

/** Breaks a text between words where it can, and in them where it must. */
export function breakWords(text: string, columns: number): readonly string[] {
  const rows: string[] = []
  for (const word of text.split(' ')) {
    const row = rows.at(-1)
    const joined = row === undefined ? word : `${row} ${word}`
    if (columnsOf(joined) <= columns) rows.splice(-1, 1, joined)
    else rows.push(...breakRows(word, columns))
  }
  return rows
}

/**
 * Breaks each line of a text between words, with a margin before the rows that go on. A word that is longer than a row stays
 * whole, because addresses and paths are copied from the terminal.
 */
export function layWords(text: string, columns: number, margin = '  '): string {
  const rows: string[] = []
  for (const line of text.split('\n')) {
    const [, indent = '', words = ''] = /^( *)(.*)$/s.exec(line) ?? []
    let row = indent
    let isEmpty = true
    for (const word of words.split(' ')) {
      const joined = isEmpty ? row + word : `${row} ${word}`
      if (isEmpty || columnsOf(joined) <= columns) row = joined
      else {
        rows.push(row.trimEnd())
        row = indent + margin + word
      }
      isEmpty = false
    }
    rows.push(row)
  }
  return rows.join('\n')
}

/** Puts as many choices on a row as fit. */
export function layChoices(choices: readonly string[], columns: number, between = '   '): readonly string[] {
  const rows: string[] = []
  for (const choice of choices) {
    const row = rows.at(-1)
    const joined = row === undefined ? choice : `${row}${between}${choice}`
    if (row !== undefined && columnsOf(joined) < columns) rows[rows.length - 1] = joined
    else rows.push(choice)
  }
  return rows
}

/** The first and the last of many rows, with a row between them that says how many are missing. */
export function leaveOutMiddle<T>(
  rows: readonly T[],
  most: number,
  say: (missing: number, next: number) => T,
): { readonly rows: readonly T[]; readonly isCut: boolean } {
  if (rows.length <= most) return { rows, isCut: false }
  const tail = Math.floor((most - 1) / 3)
  const head = most - 1 - tail
  const middle = say(rows.length - head - tail, rows.length - tail)
  return { rows: [...rows.slice(0, head), middle, ...rows.slice(rows.length - tail)], isCut: true }
}

/** The end of a text that would take more columns, with a sign that there is more before it. */
export function truncateStart(text: string, columns: number): string {
  if (columnsOf(text) <= columns) return text
  const tail: string[] = []
  let used = 1
  for (const character of [...text].toReversed()) {
    used += columnsOf(character)
    if (used > columns) break
    tail.unshift(character)
  }
  return `…${tail.join('')}`
}
