/** More rows than this are not repeated to the model that wrote them. */
const MAX_ROWS = 40
/** Of lines that were removed or added together, this many are shown. */
const MAX_REMOVED = 5
const MAX_ADDED = 10
/** Fewer lines are shown rather than counted. */
const LEAST_HIDDEN = 4
/** A longer line is cut: the caller knows it anyway. */
const MAX_CHARS = 200

const HUNK = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/
const NEW_FILE = /^\+\+\+ (?:b\/)?(.*)$/

/** A row of the text, and how many changed lines it stands for. */
interface Row {
  readonly text: string
  readonly lines: number
}

/** Lines that were removed or added together, and the number of the first one. */
interface Run {
  first: number
  readonly texts: string[]
}

/**
 * The changed lines of a unified diff as a small one, by file: removed lines with the numbers that they had, added
 * ones with those that they have. A file that was created or deleted is left out, because its lines are known or gone.
 */
export function renderChangedLines(diff: string, options: { readonly withPaths: boolean }): string {
  const rows: Row[] = []
  let path = ''
  let isShown = false
  let isNamed = false
  let [oldLine, newLine] = [0, 0]
  let removed: Run = { first: 0, texts: [] }
  let added: Run = { first: 0, texts: [] }
  const endRun = (): void => {
    const changed = [...rowsOf('-', removed, MAX_REMOVED), ...rowsOf('+', added, MAX_ADDED)]
    if (changed.length > 0 && options.withPaths && !isNamed) rows.push({ text: path, lines: 0 })
    isNamed ||= changed.length > 0
    rows.push(...changed)
    removed = { first: 0, texts: [] }
    added = { first: 0, texts: [] }
  }
  const lines = diff.split('\n')
  for (const [index, text] of lines.entries()) {
    if (isHeader(lines, index)) {
      endRun()
      isShown = !text.startsWith('--- /dev/null')
      isNamed = false
      continue
    }
    const file = isHeader(lines, index - 1) ? NEW_FILE.exec(text) : null
    if (file !== null) {
      path = file[1] ?? ''
      if (path === '/dev/null') isShown = false
      continue
    }
    const hunk = HUNK.exec(text)
    if (hunk !== null) {
      endRun()
      // A side without lines names the line before it.
      oldLine = Number(hunk[1]) + (hunk[2] === '0' ? 1 : 0)
      newLine = Number(hunk[3]) + (hunk[4] === '0' ? 1 : 0)
      continue
    }
    if (!isShown) continue
    if (text.startsWith('-')) {
      if (added.texts.length > 0) endRun()
      collect(removed, oldLine++, text)
    } else if (text.startsWith('+')) collect(added, newLine++, text)
    else if (text.startsWith('\\')) markUnended(added.texts.length > 0 ? added : removed)
    else if (text.startsWith(' ')) {
      endRun()
      oldLine++
      newLine++
    }
  }
  endRun()
  const left = rows.slice(MAX_ROWS).reduce((sum, row) => sum + row.lines, 0)
  const shown = rows.slice(0, MAX_ROWS).map(({ text }) => text)
  return [...shown, ...(left === 0 ? [] : [`[${left} more changed lines; read_file shows them]`])].join('\n')
}

function collect(run: Run, line: number, text: string): void {
  if (run.texts.length === 0) run.first = line
  run.texts.push(shorten(text.slice(1)))
}

/** The last line that was collected has no line ending. */
function markUnended({ texts }: Run): void {
  const last = texts.pop()
  if (last !== undefined) texts.push(`${last} [no newline at the end]`)
}

/** The rows of a run; in a long one the middle is only counted. */
function rowsOf(sign: '-' | '+', { first, texts }: Run, most: number): readonly Row[] {
  const rows = texts.map((text, at) => ({ text: `${sign}${first + at}: ${text}`, lines: 1 }))
  if (rows.length < most + LEAST_HIDDEN) return rows
  const from = Math.ceil(most / 2)
  const to = rows.length - (most - from - 1)
  const middle = `${sign}${first + from}-${first + to - 1}: (${to - from} more lines)`
  return [...rows.slice(0, from), { text: middle, lines: to - from }, ...rows.slice(to)]
}

/** Whether a line begins the header of a file: lines of hunks can look like it, but no hunk follows them. */
function isHeader(lines: readonly string[], index: number): boolean {
  return (
    index >= 0 &&
    (lines[index]?.startsWith('--- ') ?? false) &&
    (lines[index + 1]?.startsWith('+++ ') ?? false) &&
    HUNK.test(lines[index + 2] ?? '')
  )
}

function shorten(text: string): string {
  const plain = text.replace(/^\uFEFF/, '').replace(/\r$/, '')
  return plain.length <= MAX_CHARS ? plain : `${plain.slice(0, MAX_CHARS).toWellFormed()}…`
}
