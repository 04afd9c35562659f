import type { FirstNames } from '../../../host/layer/enter/first-names.ts'
import type { LayerChange } from '../../../host/layer/layer-change.ts'
import { identityOf } from '../../../host/root/file-stat.ts'
import { folderOf } from '../../../host/root/rel-path.ts'
import type { Root } from '../../../host/root/root.ts'
import { statOrNull } from '../../../host/root/stat-plain.ts'

/**
 * The paths of changes that are in another folder than when the command started, or are about another folder. Nothing else
 * tells: a folder that is renamed leaves the times of the files in it alone, and a command may have worked from what was
 * there before. A new name may be in a folder that came meanwhile, as nothing there is lost.
 */
export function findExchanged(
  lower: Root,
  changes: readonly LayerChange[],
  { folderAt }: Pick<FirstNames, 'folderAt'>,
): readonly string[] {
  const known = new Map<string, FolderStatus>([['', 'same']])
  const judge = (folder: string): FolderStatus => {
    const found = known.get(folder)
    if (found !== undefined) return found
    const above = judge(folderOf(folder))
    const status = above === 'same' ? compare(folder) : above
    known.set(folder, status)
    return status
  }
  const compare = (folder: string): FolderStatus => {
    const now = statOrNull(lower, folder)
    // The change of a name that a folder does not have any more is judged by itself.
    if (now?.kind !== 'dir') return 'same'
    const first = folderAt(folder)
    if (first === null) return 'came'
    return identityOf(first) === identityOf(now) ? 'same' : 'exchanged'
  }
  return changes.flatMap(({ path, before }) => {
    const status = judge(before?.kind === 'dir' ? path : folderOf(path))
    return status === 'exchanged' || (status === 'came' && before !== null) ? [path] : []
  })
}

/** Whether a folder and those above it were there when the command started. */
type FolderStatus = 'same' | 'came' | 'exchanged'
