import { quotePath } from '../../core/text/display/show-path.ts'
import { compareCodePoints } from '../../core/text/compare.ts'
import { numbered } from './edit-text.ts'
import { noteLines } from './file-rows.ts'
import { rowPath } from './row-path.ts'

/** A listing, as far as its text shows it. */
export interface ShownTree {
  readonly directory?: string
  readonly files: readonly { readonly path: string; readonly size: number }[]
  readonly folders: readonly {
    readonly path: string
    readonly entries: number | null
    readonly ignored: boolean
  }[]
  readonly sizes?: boolean
  readonly truncated: boolean
  readonly notes?: readonly string[]
}

/** The top level is shown whole; folders below it only while there are fewer lines than this. */
const MAX_LINES = 200

interface Row {
  readonly path: string
  readonly text: string
  /** The text of a folder whose content follows. */
  readonly open: string
  readonly isFolder: boolean
  readonly isOpen: boolean
}

/**
 * A tree level by level, one path in a line, folders with a slash. A folder that is ignored, or whose content would
 * make the text too long, is one line with the number of its entries.
 */
export function renderTree(tree: ShownTree): string {
  const start = tree.directory ?? ''
  const below = Map.groupBy(rowsOf(tree), ({ path }) => parentOf(path))
  const lines: string[] = []
  let closed = 0
  let planned = below.get(start)?.length ?? 0
  let queue = [start]
  while (queue.length > 0) {
    const next: string[] = []
    for (const folder of queue) {
      const rows = (below.get(folder) ?? []).toSorted((a, b) => compareCodePoints(a.path, b.path))
      for (const row of rows) {
        const inner = below.get(row.path)?.length ?? 0
        const isShown = row.isOpen && inner > 0 && planned + inner <= MAX_LINES
        if (isShown) planned += inner
        else if (row.isOpen && inner > 0) closed++
        lines.push(row.isFolder && !isShown ? row.text : row.isFolder ? row.open : row.text)
        if (isShown) next.push(row.path)
      }
    }
    queue = next
  }
  const where = `list_files with directory shows what is below a folder, glob finds files by name`
  const more = closed > 0 || tree.truncated ? `\n[Not everything is shown: ${where}.]` : ''
  return `${lines.length === 0 ? 'No files found.' : lines.join('\n')}${more}${noteLines(tree.notes)}`
}

function rowsOf({ files, folders, sizes }: ShownTree): readonly Row[] {
  return [
    ...files.map(({ path, size }) => ({
      path,
      text: sizes === true ? `${quotePath(path)} (${size} bytes)` : rowPath(path),
      open: '',
      isFolder: false,
      isOpen: false,
    })),
    ...folders.map(({ path, entries, ignored }) => ({
      path,
      open: rowPath(`${path}/`),
      text: `${quotePath(`${path}/`)} (${ignored ? 'ignored, ' : ''}${entries === null ? 'not counted' : numbered(entries, 'entry', 'entries')})`,
      isFolder: true,
      isOpen: !ignored,
    })),
  ]
}

function parentOf(path: string): string {
  const slash = path.lastIndexOf('/')
  return slash === -1 ? '' : path.slice(0, slash)
}
