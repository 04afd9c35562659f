import { byteLength } from '../../core/text/truncate.ts'
import { fitDiff } from '../edits/fit-diff.ts'
import { fitList } from '../reading/fit-list.ts'

/** More names than this help no one. */
export const MAX_NAMED = 20

/** The fields of a result that are shortened. */
interface Shortened<File, Skipped> {
  readonly files: readonly File[]
  readonly files_more?: number
  readonly skipped: readonly Skipped[]
  readonly skipped_more?: number
  readonly diff: string
  readonly truncated?: boolean
}

/** Shortens a result until it fits as JSON: first its diff, then the list of files. */
export function fitReplaced<File, Skipped, R extends Shortened<File, Skipped>>(
  result: R,
  maxBytes: number,
): R {
  const left = result.skipped.length - MAX_NAMED
  const named =
    left <= 0 ? result : { ...result, skipped: result.skipped.slice(0, MAX_NAMED), skipped_more: left }
  const fitted = fitDiff(named, 'diff', maxBytes)
  if (byteLength(JSON.stringify(fitted)) <= maxBytes) return fitted
  return fitList(named.files, maxBytes, (files) => ({
    ...named,
    files,
    files_more: named.files.length - files.length,
    diff: '',
    truncated: true,
  }))
}
