import { failure } from '../../core/error.ts'
import { areAttributesRead } from '../../host/fs/attributes.ts'
import { copyWithoutMarks } from '../../host/layer/archive-files.ts'
import { withoutMarks } from '../../host/layer/folder-marks.ts'
import type { LayerChange } from '../../host/layer/layer-change.ts'
import { makeFoldersFor, removeTree } from '../../host/layer/remove-tree.ts'
import { openRoot } from '../../host/root/open-root.ts'
import { absoluteOf, folderOf, joinRel } from '../../host/root/rel-path.ts'
import type { Root } from '../../host/root/root.ts'
import { runWithPauses } from '../../host/system/steps.ts'
import { CLEAN, upperPath } from './layer-files.ts'
import type { OpenPart, Pause } from './layer-files.ts'
import { readAttributesOf } from './read-attributes.ts'
import type { Attributed } from './read-attributes.ts'

/**
 * Files of the upper layer that carry marks of an overlay: of this one, which its folders tell, or such as the command set
 * itself, where the system lets it. On another layer those would deceive a later command. `attributed` are the files that
 * have any attributes.
 */
export async function findMarked(
  { upper }: OpenPart,
  changes: readonly LayerChange[],
  { attributed, mayBeMarked }: MarkSigns,
  pause: Pause,
): Promise<ReadonlySet<string>> {
  const marked = new Set<string>()
  const others: Attributed[] = []
  for (const { path, after } of changes) {
    if (!attributed.has(path) || after?.kind !== 'file' || after.source.layer !== 'upper') continue
    // A second name of a marked file may be in a folder that says nothing about it; of a large file nothing may be known.
    const isUnclear = after.nlink > 1 || !areAttributesRead(after.size)
    if (isUnclear || mayBeMarked(folderOf(after.source.path))) marked.add(path)
    else others.push({ path, bytes: after.size })
  }
  for (const [path, attributes] of await readAttributesOf(upper, others, pause))
    if (withoutMarks(attributes).size < attributes.size) marked.add(path)
  return marked
}

/** What tells where marks may be. */
interface MarkSigns {
  readonly attributed: ReadonlySet<string>
  readonly mayBeMarked: (folder: string) => boolean
}

/** What has to be copied before it can land. */
export interface CopyPlan {
  /** Paths of the upper layer whose files are replaced by clean copies. */
  readonly inUpper: readonly string[]
  /** Files of the workspace that the upper layer gets a copy of, by the path it gets there. */
  readonly fromLower: ReadonlyMap<string, string>
}

/** Makes the copies; returns those paths of the upper layer that could not be replaced. */
export async function makeCopies(
  part: OpenPart,
  { inUpper, fromLower }: CopyPlan,
  pause: Pause,
): Promise<readonly string[]> {
  if (inUpper.length === 0 && fromLower.size === 0) return []
  const { place, upper, lower } = part
  await runWithPauses(removeTree(place, CLEAN), pause)
  place.mkdir(CLEAN, 0o700)
  const clean = openRoot(absoluteOf(place.path, CLEAN))
  try {
    clean.mkdir('upper', 0o700)
    clean.mkdir('lower', 0o700)
    await copyInto(clean, 'upper', upper, inUpper)
    await copyInto(clean, 'lower', lower, [...fromLower.values()])
    const missed = inUpper.filter((path) => !putBack(part, joinRel('upper', path), path))
    for (const [path, from] of fromLower) {
      if (!putBack(part, joinRel('lower', from), path))
        throw failure('execution_failed', `Cannot copy ${from}, which the command moved to ${path}.`)
    }
    return missed
  } finally {
    clean.close()
    await runWithPauses(removeTree(place, CLEAN), pause)
  }
}

async function copyInto(clean: Root, name: string, from: Root, paths: readonly string[]): Promise<void> {
  if (paths.length === 0) return
  const to = openRoot(absoluteOf(clean.path, name))
  try {
    await copyWithoutMarks(from, paths, to)
  } finally {
    to.close()
  }
}

/** Puts a copy into the upper layer, in one step; false if there is none or it is not whole. */
function putBack({ place, upper }: OpenPart, copy: string, path: string): boolean {
  const made = place.stat(joinRel(CLEAN, copy))
  const old = upper.stat(path)
  if (made === null || made.kind === 'dir' || (old !== null && made.size !== old.size)) return false
  makeFoldersFor(place, upperPath(path))
  place.placeFile(joinRel(CLEAN, copy), upperPath(path))
  return true
}
