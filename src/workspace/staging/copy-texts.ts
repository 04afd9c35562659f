import { COPIED_TEXTS } from '../../config/fixed-values.ts'
import type { Digest, FileChange } from '../../journal/entries/entry.ts'

/** Reads the content that a change brings; null if it is gone, or larger. */
export type ReadAfter = (change: FileChange, maxBytes: number) => Uint8Array | null

/** Changes, and the contents that the journal gets of them. */
export interface CopiedTexts {
  readonly changes: readonly FileChange[]
  readonly payloads: ReadonlyMap<Digest, Uint8Array>
}

/**
 * Copies the texts that a command changed into the journal. A landed file is the only one of its content: once a person
 * edits it, an undo could not tell their lines from the command's. Large files and many files are left out.
 */
export function copyTexts(changes: readonly FileChange[], read: ReadAfter): CopiedTexts {
  const payloads = new Map<Digest, Uint8Array>()
  let left = COPIED_TEXTS.bytes
  const copied = changes.map((change): FileChange => {
    const { before, after } = change
    if (before === null || after?.held === undefined || payloads.size >= COPIED_TEXTS.files) return change
    if (before.kind !== undefined || after.kind !== undefined || before.digest === after.digest) return change
    const bytes = read(change, Math.min(left, COPIED_TEXTS.fileBytes))
    if (bytes === null || bytes.includes(0)) return change
    left -= bytes.length
    payloads.set(after.digest, bytes)
    return { ...change, after: { ...after, isCopied: true } }
  })
  return { changes: copied, payloads }
}
