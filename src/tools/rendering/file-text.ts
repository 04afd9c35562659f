import { describeAttachment } from '../../core/attachment/attachment.ts'
import type { Recognized } from '../../core/attachment/attachment.ts'
import { TRUNCATION_MARKER } from '../../core/text/truncate.ts'
import { noteLine } from '../reading/fit-text.ts'

/** What stands before the bytes of a binary file. */
export const BINARY_HEADER = '[binary:base64]'
/** The same if there are more. */
export const TRUNCATED_HEADER = `${BINARY_HEADER}[truncated]`

/** A file that was read, as far as its text shows it. */
export interface ShownFile {
  readonly encoding: string
  readonly content: string
  readonly truncated: boolean
  readonly range?: { readonly start_line: number; readonly end_line: number }
  readonly total_lines: number | null
  readonly next_line?: number
  readonly notes: readonly string[]
  readonly attachment?: Omit<Recognized, 'tokens'> & { readonly bytes: number }
}

/** The text as it is in the file; if it was cut, where to go on. */
export function renderFile(file: ShownFile): string {
  const { encoding, content, truncated, range, total_lines, next_line, notes, attachment } = file
  if (attachment !== undefined) return `[${describeAttachment(attachment)}]`
  if (encoding === 'base64')
    return `${truncated ? TRUNCATED_HEADER : BINARY_HEADER}\n${content}${noteLine(notes)}`
  const of = total_lines === null ? '' : ` of ${total_lines}`
  const next =
    next_line === undefined || range === undefined
      ? ''
      : `[lines ${range.start_line} to ${range.end_line}${of}; go on with start_line ${next_line}]`
  return content + next + (truncated ? TRUNCATION_MARKER : '') + noteLine(notes)
}
