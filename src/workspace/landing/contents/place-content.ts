import { ToolFailure } from '../../../core/error.ts'
import { identityOf, isSettled } from '../../../host/root/file-stat.ts'
import type { FileStat } from '../../../host/root/root.ts'
import type { InspectOptions, Target } from '../change-status.ts'
import { isSameContent, readState } from '../file-state.ts'
import { Replaced } from './move-content.ts'

/**
 * Gives staged content its name; `agreed` is what had the name a moment ago. Where two names can be exchanged in one step,
 * what is replaced is looked at afterwards, and gets its name back if it is something else by now: then nobody's work is
 * lost, however late it came. Elsewhere the moment between the look and the rename remains.
 */
export function placeContent(target: Target, agreed: FileStat | null, options: InspectOptions): void {
  const { change, root, staged } = target
  const { path } = change
  const end = root.placeExactly(staged, path, agreed === null ? 'new' : 'exchange')
  if (end === 'taken') throw new Replaced(path)
  if (end === 'not possible') return root.placeFile(staged, path)
  if (agreed === null) return
  if (!isStill(agreed, target, options)) {
    bringBack(target)
    throw new Replaced(path)
  }
  try {
    root.unlink(staged)
  } catch (thrown) {
    // As if the system had refused to replace the file.
    if (thrown instanceof ToolFailure) bringBack(target)
    throw thrown
  }
}

/** Whether what was replaced is what was looked at before. */
function isStill(
  agreed: FileStat,
  { change, root, staged, found }: Target,
  options: InspectOptions,
): boolean {
  const old = root.stat(staged)
  if (old === null) return false
  const isSame =
    identityOf(old) === identityOf(agreed) &&
    old.kind === agreed.kind &&
    old.size === agreed.size &&
    old.modifiedMs === agreed.modifiedMs
  if (isSame && isSettled(old)) return true
  return isSameContent(readState(root, staged, options.digests), found ?? change.before)
}

function bringBack({ change, root, staged }: Target): void {
  if (root.placeExactly(staged, change.path, 'exchange') !== 'done') root.placeFile(staged, change.path)
}
