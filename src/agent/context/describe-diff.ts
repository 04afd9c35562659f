import { showPath } from '../../core/text/display/show-path.ts'
import { pathInHeader, readHunkStart } from '../../core/text/diff-header.ts'

/** The files of a unified diff, each with the lines that changed as they are numbered afterwards. */
export function describeDiff(diff: string): readonly string[] {
  const files: { readonly path: string; readonly lines: number[] }[] = []
  let old = ''
  let line = 0
  let [oldLeft, newLeft] = [0, 0]
  for (const row of diff.split('\n')) {
    if (oldLeft > 0 || newLeft > 0) {
      const sign = row[0] ?? ' '
      if (sign === '\\') continue
      if (sign !== ' ') files.at(-1)?.lines.push(Math.max(1, line))
      if (sign !== '+') oldLeft -= 1
      if (sign === '-') continue
      newLeft -= 1
      line += 1
      continue
    }
    const hunk = readHunkStart(row)
    if (hunk !== null) {
      line = hunk.freshStart
      ;({ old: oldLeft, fresh: newLeft } = hunk)
    } else if (row.startsWith('--- ')) old = row
    else if (row.startsWith('+++ ')) {
      const path = pathInHeader(old, row)
      if (path !== null) files.push({ path, lines: [] })
    }
  }
  return files.map(
    ({ path, lines }) => `${showPath(path)}${lines.length === 0 ? '' : ` ${joinLines(lines)}`}`,
  )
}

/** `lines 3-5, 9`. */
function joinLines(lines: readonly number[]): string {
  const spans: [number, number][] = []
  for (const line of lines) {
    const last = spans.at(-1)
    if (last !== undefined && line <= last[1] + 1) last[1] = Math.max(last[1], line)
    else spans.push([line, line])
  }
  const shown = spans.map(([from, to]) => (from === to ? String(from) : `${from}-${to}`))
  const isOne = spans.length === 1 && spans[0]?.[0] === spans[0]?.[1]
  const named = shown.slice(0, MOST_SPANS).join(', ')
  return `${isOne ? 'line' : 'lines'} ${named}${shown.length > MOST_SPANS ? ', …' : ''}`
}

const MOST_SPANS = 12
