import { quotePath } from '../../core/text/display/show-path.ts'
import { numbered, renderEdit } from './edit-text.ts'
import type { ShownEdit } from './edit-text.ts'
import { rowPath } from './row-path.ts'

/** What was replaced, as far as its text shows it. */
export interface ShownReplacement extends ShownEdit {
  readonly replaced: number
  readonly files: readonly { readonly path: string; readonly replaced: number }[]
  readonly files_more?: number
  readonly skipped: readonly { readonly path: string; readonly why: string }[]
  readonly skipped_more?: number
}

/** What was replaced: the changed lines by file, the names of files whose lines are not shown, and what was left alone. */
export function renderReplaced(result: ShownReplacement): string {
  const { replaced, files, files_more = 0, skipped, skipped_more = 0 } = result
  const count = files.length + files_more
  const head = `replaced ${numbered(replaced, 'match', 'matches')} in ${numbered(count, 'file')}`
  const shown = renderEdit(head, result, true)
  const rows = new Set(shown.split('\n'))
  const unnamed = files.filter(({ path }) => !rows.has(rowPath(path)) && !rows.has(`+++ b/${path}`))
  const names = unnamed.map(({ path, replaced: times }) => `${quotePath(path)} (${times})`)
  return [
    shown,
    ...(names.length === 0 ? [] : [`[also changed: ${names.join(', ')}]`]),
    ...(files_more === 0 ? [] : [`[${numbered(files_more, 'more file')} changed: ${WAY_ON}]`]),
    ...skipped.map(({ path, why }) => `[skipped ${quotePath(path)}: ${why}]`),
    ...(skipped_more === 0 ? [] : [`[skipped ${numbered(skipped_more, 'more file')}: ${FEWER}]`]),
  ].join('\n')
}

const WAY_ON = 'search for the new text with mode files names them'
const FEWER = 'name fewer files at a time to see which'
