import { showPath } from '../../core/text/display/show-path.ts'
import type { Diff } from '@agentclientprotocol/sdk'
import { readHunkStart } from '../../core/text/diff-header.ts'

const NO_FILE = '/dev/null'

interface FileLines {
  readonly path: string
  readonly isNew: boolean
  readonly old: string[]
  readonly fresh: string[]
}

/**
 * A unified diff as the old and the new lines of each file. Only the lines that the diff shows are in them, one hunk
 * after the other: an editor compares the two, and needs no more to show what would change in texts. What else the diff
 * says is in `restOfDiff`.
 */
export function readDiff(diff: string, toAbsolute: (path: string) => string): readonly Diff[] {
  return scan(diff).files.map((file) => ({
    path: toAbsolute(file.path),
    oldText: file.isNew ? null : textOf(file.old),
    newText: textOf(file.fresh),
  }))
}

/**
 * What a diff says besides the lines of texts: modes, links, folders, files that are not shown, which files go, and ends
 * without a line end. Lines with characters that do not show are there once more, spelled out by `spell`.
 */
export function restOfDiff(diff: string, spell: (line: string) => string): readonly string[] {
  const { files, rest } = scan(diff)
  const odd = files.flatMap(({ path, old, fresh }) =>
    [...old.map((line) => ['-', line] as const), ...fresh.map((line) => ['+', line] as const)]
      .filter(([, line]) => spell(line) !== line)
      .map(([mark, line]) => `In ${showPath(path)}, spelled out: ${mark}${spell(line)}`),
  )
  return [...rest.map(spell), ...new Set(odd)]
}

/** Reads a diff line by line. Lines of a text are counted off as their hunk says, so that none can pass for another. */
function scan(diff: string): { readonly files: readonly FileLines[]; readonly rest: readonly string[] } {
  const files: FileLines[] = []
  const rest: string[] = []
  let [old, fresh, mark] = [0, 0, '']
  const lines = diff.split('\n')
  for (const [index, line] of lines.entries()) {
    const file = files.at(-1)
    if (file !== undefined && line.startsWith('\\')) {
      rest.push(`${showPath(file.path)}: the ${SIDES[mark] ?? ''}text has no line end at its end`)
      continue
    }
    if (file !== undefined && (old > 0 || fresh > 0)) {
      mark = line[0] ?? ''
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
    if (hunk !== null) {
      ;({ old, fresh } = hunk)
      continue
    }
    const after = lines[index + 1]
    if (line.startsWith('--- ') && after?.startsWith('+++ ') === true) {
      const [before, named] = [line.slice(4), after.slice(4)]
      const path = (named === NO_FILE ? before : named).replace(/^[ab]\//, '')
      files.push({ path, isNew: before === NO_FILE, old: [], fresh: [] })
      if (named === NO_FILE) rest.push(`File removed: ${showPath(path)}`)
    } else if (line !== '' && !(line.startsWith('+++ ') && lines[index - 1]?.startsWith('--- ') === true))
      rest.push(line)
  }
  return { files, rest }
}

const SIDES: Readonly<Record<string, string>> = { '-': 'old ', '+': 'new ' }

function textOf(lines: readonly string[]): string {
  return lines.length === 0 ? '' : `${lines.join('\n')}\n`
}
