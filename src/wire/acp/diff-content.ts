import type { Diff } from '@agentclientprotocol/sdk'
import { readHunkStart } from '../../core/text/diff-header.ts'

const NO_FILE = '/dev/null'

/**
 * A unified diff as the old and the new lines of each file. Only the lines that the diff shows are in them, one hunk
 * after the other: an editor compares the two, and needs no more to show what would change.
 */
export function readDiff(diff: string, toAbsolute: (path: string) => string): readonly Diff[] {
  const found: { path: string; isNew: boolean; old: string[]; fresh: string[] }[] = []
  let [old, fresh] = [0, 0]
  const lines = diff.split('\n')
  for (const [index, line] of lines.entries()) {
    const file = found.at(-1)
    if (file !== undefined && (old > 0 || fresh > 0)) {
      const mark = line[0]
      if (mark === ' ' || mark === '-') {
        file.old.push(line.slice(1))
        old--
      }
      if (mark === ' ' || mark === '+') {
        file.fresh.push(line.slice(1))
        fresh--
      }
      continue
    }
    const hunk = readHunkStart(line)
    if (hunk !== null) ({ old, fresh } = hunk)
    const after = lines[index + 1]
    if (hunk === null && line.startsWith('--- ') && after?.startsWith('+++ ') === true) {
      const [before, named] = [line.slice(4), after.slice(4)]
      const path = (named === NO_FILE ? before : named).replace(/^[ab]\//, '')
      found.push({ path, isNew: before === NO_FILE, old: [], fresh: [] })
    }
  }
  return found.map((file) => ({
    path: toAbsolute(file.path),
    oldText: file.isNew ? null : textOf(file.old),
    newText: textOf(file.fresh),
  }))
}

function textOf(lines: readonly string[]): string {
  return lines.length === 0 ? '' : `${lines.join('\n')}\n`
}
