import { array, boolean, integer, object, oneOf, optional, string } from '../../schema/schema.ts'
import type { Infer } from '../../schema/schema.ts'
import { compareCodePoints } from '../../core/text/compare.ts'
import { fitList } from '../reading/fit-list.ts'
import { cutReason, describeCut } from './cut-reason.ts'
import type { IgnoreNotes } from './ignore-notes.ts'
import type { FoundFile } from './walk-files.ts'

const file = object(
  {
    path: string('Path relative to the root, with forward slashes'),
    size: integer('Size in bytes'),
    mtime: integer('Time of the last change in epoch milliseconds'),
    type: oneOf(['file'], 'What kind of entry it is; a link that was followed is what it leads to'),
  },
  'One file',
)

/** The field of the output for ignore files that could not be honoured. */
export const ignoreNotes = optional(
  array(
    string('Which one, and why'),
    'Ignore files that were not honoured completely, so that more was found',
  ),
)

/** The fields of a result that lists files. */
export const foundFields = {
  files: array(file, 'The files, sorted by path'),
  truncated: boolean('Whether there are, or may be, more'),
  notes: ignoreNotes,
}

/** What `glob` returns. */
export const foundFiles = object({ ...foundFields, truncated_reason: cutReason }, 'The files that were found')

/** One file of the result. */
export type FileRow = Infer<typeof file>

/** The row of a file, or null if it has disappeared. */
export function fileRow({ path, stat }: FoundFile): FileRow | null {
  const known = stat()
  if ('fault' in known) return null
  const mtime = Math.floor(known.modifiedMs)
  return { path, size: known.size, mtime: Number.isSafeInteger(mtime) ? mtime : 0, type: 'file' }
}

/** Sorts rows, removes duplicates, and shortens the list until it fits. */
export function listRows(
  rows: readonly FileRow[],
  limits: {
    readonly maxResults: number
    readonly maxBytes: number
    /** Whether the walk ended before it had seen everything. */
    readonly isCut: boolean
  },
  notes: IgnoreNotes,
): Infer<typeof foundFiles> {
  const ordered = rows.toSorted((a, b) => compareCodePoints(a.path, b.path))
  const unique = ordered.filter(({ path }, at) => path !== ordered[at - 1]?.path)
  const cutBy = unique.length > limits.maxResults ? 'max_results' : limits.isCut ? 'max_entries' : null
  return fitList(unique.slice(0, limits.maxResults), limits.maxBytes, (files, isShortened) => ({
    files,
    ...describeCut(cutBy, isShortened),
    ...notes.field(),
  }))
}
