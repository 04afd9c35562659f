import type { ToolCallContent } from '@agentclientprotocol/sdk'
import { join } from 'node:path'
import type { FileChange } from '../../../journal/entries/entry.ts'
import type { ConversationSource } from '../../../runtime/runtime.ts'

/** Larger files get no diff. */
const MOST_BYTES = 256 * 1024
/** A command can change thousands of files. */
const MOST_FILES = 50

const strict = new TextDecoder('utf-8', { fatal: true })

type Source = Pick<ConversationSource, 'log' | 'contentOf'>

/** What a call has changed, as whole texts before and after; files that are not text are left out. */
export function changesOf(execution: string, { log, contentOf }: Source): ToolCallContent[] {
  const changes = log
    .about(execution)
    .flatMap(({ entry }) => (entry.kind === 'settled' && entry.execution === execution ? entry.changes : []))
  return changes.slice(0, MOST_FILES).flatMap((change): ToolCallContent[] => {
    const [before, after] = [textAt(change, 'before'), textAt(change, 'after')]
    if (before === undefined || after === undefined || before === after) return []
    return [{ type: 'diff', path: join(change.root, change.path), oldText: before, newText: after ?? '' }]
  })

  /** Null if there is no such file; undefined if there is and it has no text to show. */
  function textAt(change: FileChange, side: 'before' | 'after'): string | null | undefined {
    const state = change[side]
    if (state === null) return null
    const bytes = log.payload(state.digest) ?? contentOf(change, side, MOST_BYTES)
    if (bytes === null || bytes.length > MOST_BYTES || bytes.includes(0)) return undefined
    try {
      return strict.decode(bytes)
    } catch {
      return undefined
    }
  }
}
