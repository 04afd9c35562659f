const HUNK = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@$/
const NO_FILE = '/dev/null'

/** What the first line of a hunk says: how many lines it has on both sides, and where it begins in each. */
export interface HunkStart {
  readonly old: number
  readonly fresh: number
  readonly oldStart: number
  readonly freshStart: number
}

/** Reads the first line of a hunk; null if a line is none. */
export function readHunkStart(text: string): HunkStart | null {
  const hunk = HUNK.exec(text)
  if (hunk === null) return null
  return {
    old: Number(hunk[2] ?? 1),
    fresh: Number(hunk[4] ?? 1),
    oldStart: Number(hunk[1]),
    freshStart: Number(hunk[3]),
  }
}

/**
 * The line of a unified diff at which the file header above a line begins, counted from 0; null if the line belongs to no
 * header above it. Lines of a text are counted off as their hunk says, so that none of them can pass for a header.
 */
export function findHeaderOf(lines: readonly string[], line: number): number | null {
  let header: number | null = null
  /** The lines that the hunk still has on both sides. */
  let [old, fresh] = [0, 0]
  for (const [index, text] of lines.slice(0, line + 1).entries()) {
    if (old > 0 || fresh > 0) {
      if (text.startsWith(' ') || text.startsWith('-')) old--
      if (text.startsWith(' ') || text.startsWith('+')) fresh--
      continue
    }
    const hunk = readHunkStart(text)
    if (hunk !== null) ({ old, fresh } = hunk)
    else if (text.startsWith('--- ') && lines[index + 1]?.startsWith('+++ ') === true) header = index
    // What belongs to no hunk is about a file that it names itself.
    else if (!text.startsWith('\\') && header !== index - 1) header = null
  }
  return header === line ? null : header
}

/** The path that both lines of a file header name; null if they name none. */
export function pathInHeader(before: string, after: string): string | null {
  const [old, fresh] = [before.slice('--- '.length), after.slice('+++ '.length)]
  const named = fresh === NO_FILE ? old : fresh
  return named === NO_FILE ? null : named.slice('a/'.length)
}
