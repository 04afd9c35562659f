import { showPath } from '../../core/text/display/show-path.ts'
import { elideMiddle } from '../../core/text/truncate.ts'
import { findEditorLocks } from '../../host/fs/editor-locks.ts'
import type { StagedContent } from '../../workspace/staging/staged-content.ts'

const MOST_NOTES = 10
const HOLDER_CHARS = 60

/** A warning for each staged file that somebody has open in an editor: saving there would overwrite the edit, or lose theirs. */
export function warnOpenElsewhere(staged: readonly StagedContent[]): readonly string[] {
  const locks = findEditorLocks(staged.map(({ absolute }) => absolute))
  const notes = staged.flatMap(({ path }, at) =>
    (locks[at] ?? []).map(({ editor, lock, holder }) => {
      const by = holder === null ? '' : ` by ${showPath(elideMiddle(holder, HOLDER_CHARS))}`
      return `${showPath(path)} is open in ${editor}${by} (${showPath(lock)}) and may have changes there that are not saved`
    }),
  )
  const rest = notes.length - MOST_NOTES
  return rest > 0 ? [...notes.slice(0, MOST_NOTES), `${rest} more files are open in an editor`] : notes
}
