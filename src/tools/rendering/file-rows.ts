import type { CutReason } from '../finding/cut-reason.ts'
import { rowPath } from './row-path.ts'

/** Notes of a result, each in a line of its own. */
export function noteLines(notes: readonly string[] = []): string {
  return notes.map((note) => `\n[${note}]`).join('')
}

/** Files that were found, as far as their text shows them. */
export interface FoundNames {
  readonly files: readonly { readonly path: string }[]
  readonly truncated: boolean
  readonly truncated_reason?: CutReason
  readonly notes?: readonly string[]
}

/** Files by name, one in a line. */
export function renderFileNames({ files, truncated, truncated_reason: reason, notes }: FoundNames): string {
  const rows = files.length === 0 ? ['No files found.'] : files.map(({ path }) => rowPath(path))
  const raise = reason === 'max_results' ? ', or raise max_results' : ''
  const more = truncated ? `\n[There are more: narrow the patterns${raise}.]` : ''
  return `${rows.join('\n')}${more}${noteLines(notes)}`
}
