import { unifiedDiff } from '../../core/text/unified-diff.ts'
import type { Digest, FileChange } from '../../journal/entries/entry.ts'
import type { MergeDeps } from './merge-file.ts'

/** Larger files get no diff; they are listed all the same. */
const MOST_BYTES = 256 * 1024
/** Commands can change thousands of files. */
const MOST_FILES = 100

const strict = new TextDecoder('utf-8', { fatal: true })

/** What changes would do to the text of files, as a unified diff; files that are not text are left out. */
export function diffChanges(
  changes: readonly FileChange[],
  payloads: ReadonlyMap<Digest, Uint8Array>,
  { log, workspace }: Pick<MergeDeps, 'log' | 'workspace'>,
): string {
  const textAt = (change: FileChange, side: 'before' | 'after'): string | null | undefined => {
    const state = change[side]
    if (state === null) return null
    if (state.kind !== undefined) return undefined
    const { digest } = state
    return decode(
      payloads.get(digest) ?? log.payload(digest) ?? workspace.readSide(change, side, MOST_BYTES) ?? null,
    )
  }
  return changes
    .slice(0, MOST_FILES)
    .map((change) => {
      const [before, after] = [textAt(change, 'before'), textAt(change, 'after')]
      if (before === undefined || after === undefined || before === after) return ''
      return unifiedDiff({ path: change.path, before, after })
    })
    .join('')
}

/** Undefined if there is no text to show. */
function decode(bytes: Uint8Array | null): string | undefined {
  if (bytes === null || bytes.length > MOST_BYTES || bytes.includes(0)) return undefined
  try {
    return strict.decode(bytes)
  } catch {
    return undefined
  }
}
