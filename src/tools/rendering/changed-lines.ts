/** More lines than this are not repeated to the model that wrote them. */
const MAX_LINES = 40
/** A longer line is cut: the caller knows it anyway. */
const MAX_CHARS = 200

const HUNK = /^@@ -\d+(?:,\d+)? \+(\d+)(?:,(\d+))? @@/
const NEW_FILE = /^\+\+\+ (?:b\/)?(.*)$/

/**
 * The changed lines of a unified diff as they are now, by file and with their numbers; a file that was created or
 * deleted is left out, because its lines are known or gone.
 */
export function renderChangedLines(diff: string, options: { readonly withPaths: boolean }): string {
  const rows: string[] = []
  let path = ''
  let isShown = false
  let isNamed = false
  let line = 0
  let removed = 0
  const add = (text: string): void => {
    if (options.withPaths && !isNamed) rows.push(path)
    isNamed = true
    rows.push(text)
  }
  const endRun = (): void => {
    if (removed > 0) add(`${line}: (${removed} ${removed === 1 ? 'line' : 'lines'} removed)`)
    removed = 0
  }
  const lines = diff.split('\n')
  for (const [index, text] of lines.entries()) {
    if (text.startsWith('--- ') && lines[index + 1]?.startsWith('+++ ') && isHeader(lines, index)) {
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
      // Without lines on its new side a hunk names the line before it.
      line = Number(hunk[1]) + (hunk[2] === '0' ? 1 : 0)
      continue
    }
    if (!isShown) continue
    if (text.startsWith('-')) removed++
    else if (text.startsWith('+')) {
      removed = 0
      add(`${line}: ${shorten(text.slice(1))}`)
      line++
    } else if (text.startsWith(' ')) {
      endRun()
      line++
    }
  }
  endRun()
  const left = rows.length - MAX_LINES
  if (left <= 0) return rows.join('\n')
  return `${rows.slice(0, MAX_LINES).join('\n')}\n[${left} more changed lines; read_file shows them]`
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
