import { modeWithoutList } from '../../../host/root/access-list.ts'
import type { Digest, FileChange, FileState } from '../../../journal/entries/entry.ts'

/**
 * A change that names nothing that was erased from the journal: an entry that does would look as if somebody had removed it.
 * What was set aside with a layer is put back from there, also if its copy is gone. A file or folder whose attributes are gone
 * may have had an access list, so its group gets no rights.
 */
export function withoutErased(change: FileChange, isStored: (digest: Digest) => boolean): FileChange {
  const { before, after } = change
  const [was, is] = [before && namingStored(before, isStored), after && namingStored(after, isStored)]
  if (was === before && is === after) return change
  const isListLost =
    after?.held === undefined && after?.attributes !== undefined && is?.attributes === undefined
  return {
    ...change,
    before: was,
    after: isListLost && is !== null ? { ...is, mode: modeWithoutList(is.mode, null) } : is,
  }
}

function namingStored(state: FileState, isStored: (digest: Digest) => boolean): FileState {
  const { attributes, isCopied, ...rest } = state
  const named = attributes !== undefined && isStored(attributes) ? { attributes } : {}
  const copied = isCopied === true && isStored(state.digest) ? { isCopied } : {}
  const isSame = named.attributes === attributes && copied.isCopied === isCopied
  return isSame ? state : { ...rest, ...named, ...copied }
}
