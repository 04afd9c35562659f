import { basename, dirname } from 'node:path'
import { ToolFailure } from '../../core/error.ts'
import { errnoOf } from '../../host/fs/errno.ts'
import { UPPER } from '../../host/layer/layer.ts'
import { removeGone } from '../../host/layer/remove-folder.ts'
import { removeTree } from '../../host/layer/remove-tree.ts'
import { stripLayer } from '../../host/layer/strip-layer.ts'
import { openRoot } from '../../host/root/open-root.ts'
import { partsOf } from '../../host/root/rel-path.ts'
import { runSteps } from '../../host/system/steps.ts'
import type { FileChange } from '../../journal/entries/entry.ts'
import { attempt } from '../landing/landing-outcome.ts'

/**
 * Takes from the layer of a call that has landed what did not land with it: caches, names and hunks that were left out,
 * and what the mount needed. Returns the folders that are still to be removed.
 */
export function stripLanded(
  execution: string,
  changes: readonly FileChange[],
  places: readonly string[],
): readonly string[] {
  if (changes.some(({ before }) => isOnUpper(before?.held, execution))) return []
  return [...new Set(places)].flatMap((place) => {
    try {
      return stripLayer(place, execution) ?? []
    } catch (thrown) {
      // What stays is forgotten with the call.
      if (errnoOf(thrown) === null) throw thrown
      return []
    }
  })
}

/** Whether a landing puts something back on the layer, so that it takes the call back. */
function isOnUpper(held: string | undefined, execution: string): boolean {
  if (held === undefined) return false
  const [call, , folder] = partsOf(held)
  return call === execution && folder === UPPER
}

/** Removes what was stripped; the next sweep tries again. */
export async function removeStripped(folders: readonly string[]): Promise<void> {
  for (const folder of folders)
    try {
      await removeGone(folder)
    } catch (thrown) {
      if (!(thrown instanceof ToolFailure)) throw thrown
    }
}

/** The same at once, for landings that an earlier process began. */
export function removeStrippedNow(folders: readonly string[]): void {
  for (const folder of folders)
    attempt(() => {
      const place = openRoot(dirname(folder))
      try {
        runSteps(removeTree(place, basename(folder)))
      } finally {
        place.close()
      }
    })
}
