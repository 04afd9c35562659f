import { isUtf8 } from 'node:buffer'
import type { DiffHunks } from '../../core/approval.ts'
import { applyHunks, hunksBetween } from '../../core/text/unified-diff.ts'
import type { StagedFile } from './staged-file.ts'

/** A file of which not everything was taken. */
export interface LeftPart {
  readonly path: string
  /** The hunks that were left out, counted from 1 over the whole diff. */
  readonly hunks: readonly number[]
}

/** Staged files with only the chosen hunks, and what was left out of which file. */
export interface TakenHunks {
  readonly staged: readonly StagedFile[]
  readonly leftOut: readonly LeftPart[]
}

const utf8 = { read: new TextDecoder('utf-8', { ignoreBOM: true }), write: new TextEncoder() }

/** Takes some hunks of staged files, counted from 1 in the order of their diff. A new or removed file is one hunk. */
export function takeHunks(files: readonly StagedFile[], chosen: ReadonlySet<number>): TakenHunks {
  const staged: StagedFile[] = []
  const leftOut: LeftPart[] = []
  let first = 1
  for (const file of files) {
    const { base, after, at } = file
    const before = base === null ? '' : utf8.read.decode(base.bytes)
    const now = after === null ? '' : utf8.read.decode(after)
    const count = base === null || after === null ? 1 : hunksBetween(before, now).length
    const numbers = Array.from({ length: count }, (_, index) => first + index)
    first += count
    const left = numbers.filter((number) => !chosen.has(number))
    if (left.length > 0) leftOut.push({ path: at.display, hunks: left })
    if (left.length === 0) staged.push(file)
    else if (left.length < count) {
      const start = numbers[0] ?? 1
      const text = applyHunks(before, now, (hunk) => chosen.has(start + hunk))
      staged.push({ ...file, after: utf8.write.encode(text) })
    }
  }
  return { staged, leftOut }
}

/** The diff of staged files, and where its hunks begin; they cannot be chosen where a text is not what its bytes are. */
export function showHunks(
  files: readonly StagedFile[],
  diffOf: (file: StagedFile) => string,
): { readonly diff: string; readonly hunks: DiffHunks | null } {
  const lines: number[] = []
  const numbers = new Map<StagedFile, readonly number[]>()
  let diff = ''
  let line = 0
  let isChoosable = true
  for (const file of files) {
    const piece = diffOf(file)
    const rows = piece.split('\n')
    const headers = rows.flatMap((row, index) => (row.startsWith('@@ ') ? [line + index] : []))
    // An empty file has no lines to show; its names are one hunk.
    const begins = headers.length === 0 ? [line] : headers
    numbers.set(
      file,
      begins.map((_, index) => lines.length + index + 1),
    )
    lines.push(...begins)
    isChoosable &&= isWritable(file) && piece !== ''
    line += rows.length - 1
    diff += piece
  }
  if (!isChoosable || lines.length === 0) return { diff, hunks: null }
  const together = tieMoves(files, numbers)
  return { diff, hunks: together.length === 0 ? { lines } : { lines, together } }
}

/** The hunks of what was moved: without its new name a file would be gone, and without the removal there would be two. */
function tieMoves(
  files: readonly StagedFile[],
  numbers: ReadonlyMap<StagedFile, readonly number[]>,
): readonly (readonly number[])[] {
  const removed = new Map(files.flatMap((file) => (file.after === null ? [[file.at.absolute, file]] : [])))
  return files.flatMap((file) => {
    const from = file.base === null && file.likeAt !== null ? removed.get(file.likeAt.absolute) : undefined
    if (from === undefined) return []
    return [[...(numbers.get(from) ?? []), ...(numbers.get(file) ?? [])].toSorted((a, b) => a - b)]
  })
}

/** Whether a part of a file can be written as it is shown. */
function isWritable({ base, after }: StagedFile): boolean {
  return base === null || after === null || (isUtf8(base.bytes) && isUtf8(after))
}
