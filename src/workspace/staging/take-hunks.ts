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

/** How many hunks the diff of staged files has. */
export function countHunks(files: readonly StagedFile[]): number {
  return takeHunks(files, new Set()).leftOut.reduce((sum, { hunks }) => sum + hunks.length, 0)
}
