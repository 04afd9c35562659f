import { failure } from '../../../core/error.ts'
import type { LayerChange } from '../../../host/layer/layer-change.ts'
import { folderOf, joinRel, nameOf, showPath } from '../../../host/root/rel-path.ts'
import type { Root } from '../../../host/root/root.ts'
import { statPlain } from '../../../host/root/stat-plain.ts'
import { foldName } from '../../sandbox/deny-rule.ts'

/** Whether names of a root that differ only in case name the same file, as far as its own entries tell. */
export function foldsCase(root: Root): boolean {
  const names = root.list('').map(({ exactName }) => exactName)
  const known = new Set(names)
  for (const name of names) {
    const other = swapCase(name)
    // A name of which both spellings are there tells nothing, and neither does one without letters.
    if (!known.has(other)) return root.stat(other) !== null
  }
  return false
}

function swapCase(name: string): string {
  const upper = name.toUpperCase()
  return upper === name ? name.toLowerCase() : upper
}

/** Throws if a new name differs only in case from another that stays beside it: only one of them could be there. */
export function refuseClashes(
  lower: Root,
  landing: readonly LayerChange[],
  displayOf: (path: string) => string,
): void {
  const gone = new Set(landing.filter(({ after }) => after === null).map(({ path }) => path))
  const folders = new Map<string, Map<string, string>>()
  const namesIn = (folder: string): Map<string, string> => {
    const known = folders.get(folder)
    if (known !== undefined) return known
    const there = statPlain(lower, folder)?.kind === 'dir' ? lower.list(folder) : []
    const names = new Map<string, string>()
    for (const { exactName } of there)
      if (!gone.has(joinRel(folder, exactName))) names.set(foldName(exactName), exactName)
    folders.set(folder, names)
    return names
  }
  for (const { path, after } of landing) {
    if (after === null) continue
    const names = namesIn(folderOf(path))
    const name = nameOf(path)
    const other = names.get(foldName(name))
    if (other !== undefined && other !== name) {
      const [one, two] = [joinRel(folderOf(path), other), path].map((at) => showPath(displayOf(at)))
      throw failure(
        'execution_failed',
        `Nothing was landed: ${one} and ${two} differ only in case, and the file system does not tell them apart.`,
        { paths: [one ?? '', two ?? ''] },
        ['Run the command such that it uses one spelling of the name.'],
      )
    }
    names.set(foldName(name), name)
  }
}
