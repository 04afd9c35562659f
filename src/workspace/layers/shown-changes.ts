import { LAYER_CONTENT_LIMITS } from '../../config/fixed-values.ts'
import { compareCodePoints } from '../../core/text/compare.ts'
import { absoluteOf } from '../../host/root/rel-path.ts'
import type { StagedContent } from '../staging/staged-content.ts'
import type { HashedChange } from './file-changes.ts'
import { sideAfter, sideBefore } from './layer-contents.ts'
import type { Pause } from './layer-files.ts'
import type { ShownChange } from './layer-read.ts'

type DisplayOf = (change: HashedChange) => string

/** The files and links among changes, in the order of their paths. */
export function showChanges(
  changes: readonly HashedChange[],
  moved: ReadonlyMap<HashedChange, HashedChange>,
  displayOf: DisplayOf,
): readonly ShownChange[] {
  return changes
    .flatMap((change): readonly ShownChange[] => {
      const isThere = change.after !== null && change.after.kind !== 'dir'
      const wasThere = change.before !== null && change.before.kind !== 'dir'
      if (!isThere && !wasThere) return []
      const what = !wasThere ? 'created' : isThere ? 'modified' : 'deleted'
      const from = moved.get(change)
      return [
        {
          path: displayOf(change),
          change: what,
          ...(from === undefined ? {} : { from: displayOf(from) }),
        },
      ]
    })
    .toSorted((one, other) => compareCodePoints(one.path, other.path))
}

/** The texts that would land, with what they replace, as far as they are small and few. */
export async function stageContents(
  changes: readonly HashedChange[],
  options: { readonly displayOf: DisplayOf; readonly maxFileBytes: number; readonly pause: Pause },
): Promise<readonly StagedContent[]> {
  const { displayOf, maxFileBytes, pause } = options
  const contents: StagedContent[] = []
  let bytes = 0
  for (const change of changes) {
    if (contents.length >= LAYER_CONTENT_LIMITS.files) break
    if (change.after?.kind !== 'file' || change.beforeDigest === change.afterDigest) continue
    const waiting = pause()
    if (waiting !== undefined) await waiting
    const size = change.after.size + (change.before?.kind === 'file' ? change.before.size : 0)
    if (bytes + size > LAYER_CONTENT_LIMITS.bytes) continue
    const after = sideAfter(change, maxFileBytes)
    if (after.is !== 'text') continue
    const before = sideBefore(change, maxFileBytes)
    bytes += size
    contents.push({
      path: displayOf(change),
      absolute: absoluteOf(change.part.lower.path, change.path),
      isAssumed: false,
      before: before.is === 'text' ? before.bytes : null,
      after: after.bytes,
    })
  }
  return contents
}
