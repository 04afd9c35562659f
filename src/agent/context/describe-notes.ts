import { showPath } from '../../core/text/display/show-path.ts'
import type { ContextReport } from '../conversation.ts'

/** The notes for agents that a model is given, as a person reads them. */
export function describeNotes(notes: ContextReport['notes']): string {
  if (notes.length === 0) return 'none; /init writes AGENTS.md'
  return notes
    .map(({ path, bytes, is_cut: isCut }) => `${showPath(path)} (${bytes} bytes${isCut ? ', cut' : ''})`)
    .join(', ')
}
