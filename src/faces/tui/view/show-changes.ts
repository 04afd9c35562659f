import { unifiedDiff } from '../../../core/text/unified-diff.ts'
import type { Digest, FileChange } from '../../../journal/entries/entry.ts'
import type { ConversationSource } from '../../../runtime/runtime.ts'
import type { ShownChange } from './view.ts'

/** Reads a recorded payload; null if it was erased. */
export type ReadPayload = (digest: Digest) => Uint8Array | null

/** Reads a content that is not in the journal; null if it is gone. */
export type ReadContent = ConversationSource['contentOf']

/** Larger files get no diff. */
const MOST_BYTES = 256 * 1024
/** The longest diff kept for the screen; undo and the log do not use it. */
const DIFF_CHARS = 64 * 1024
/** What is read from files for the diffs of one call; a command can change thousands. */
const FROM_FILES = { count: 100, bytes: 1024 * 1024 } as const

const strict = new TextDecoder('utf-8', { fatal: true })

/** The changes of a call, with a diff for each text. */
export function showChanges(
  changes: readonly FileChange[],
  read: ReadPayload,
  contentOf: ReadContent,
): readonly ShownChange[] {
  const left: { count: number; bytes: number } = { ...FROM_FILES }
  const readFile = (change: FileChange, side: 'before' | 'after'): Uint8Array | null => {
    if (change[side]?.held === undefined || left.count === 0) return null
    left.count--
    const bytes = contentOf(change, side, Math.min(MOST_BYTES, left.bytes))
    left.bytes -= bytes?.length ?? 0
    return bytes
  }
  return changes.filter(isVisible).map((change) => {
    const { root, path, before, after } = change
    const textAt = (side: 'before' | 'after'): string | null => {
      const state = change[side]
      return state === null ? null : textOf(read(state.digest) ?? readFile(change, side))
    }
    const [old, fresh] = [textAt('before'), textAt('after')]
    const isText = (before === null) === (old === null) && (after === null) === (fresh === null)
    return {
      root,
      path,
      before,
      after,
      is: before === null ? 'created' : after === null ? 'deleted' : 'modified',
      diff: isText ? unifiedDiff({ path, before: old, after: fresh }).slice(0, DIFF_CHARS) : null,
    }
  })
}

/** A folder that is named only because names in it change is not shown. */
function isVisible({ before, after }: FileChange): boolean {
  if (before?.kind !== 'folder' || after?.kind !== 'folder') return true
  return before.mode !== after.mode || before.uid !== after.uid || before.gid !== after.gid
}

function textOf(bytes: Uint8Array | null): string | null {
  if (bytes === null || bytes.length > MOST_BYTES || bytes.includes(0)) return null
  try {
    return strict.decode(bytes)
  } catch {
    return null
  }
}
