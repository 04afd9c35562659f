import { showPath } from '../../core/text/display/show-path.ts'
import type { Digest, FileChange } from '../../journal/entries/entry.ts'
import type { RevertDeps } from './revert-deps.ts'

/**
 * The contents that files have now and the journal has no more, because they were forgotten or are too old. The files are
 * replaced or removed, so without these nothing could bring them back. What changed meanwhile is refused later.
 */
export function* readForgotten(
  changes: readonly FileChange[],
  { log, workspace, digest }: Pick<RevertDeps, 'log' | 'workspace' | 'digest'>,
): Generator<readonly [Digest, Uint8Array]> {
  for (const { root, path, before } of changes) {
    if (before === null || before.kind !== undefined || before.held !== undefined) continue
    if (log.payload(before.digest) !== null) continue
    const now = workspace.readCurrent(root, path, Infinity)
    if (now !== null && digest(now.bytes) === before.digest) yield [before.digest, now.bytes]
  }
}

/** Why a content cannot be put in place: it is nowhere any more, or is not what was set aside; null if all of them can. */
export async function findGone(
  changes: readonly FileChange[],
  payloads: ReadonlyMap<Digest, Uint8Array>,
  { log, workspace }: Pick<RevertDeps, 'log' | 'workspace'>,
): Promise<string | null> {
  const lost = await workspace.findMissing(
    changes,
    (content) => payloads.has(content) || log.payload(content) !== null,
  )
  if (lost !== null)
    return lost.after?.held === undefined
      ? `The content of ${showPath(lost.path)} was erased from the journal, so it cannot be restored.`
      : `The content of ${showPath(lost.path)} that was set aside is gone, so it cannot be restored. It was forgotten, or somebody removed it.`
  const altered = await findAltered(changes, workspace)
  return altered === null
    ? null
    : `The content of ${showPath(altered.path)} that was set aside has been changed since, by a program that had it open or in its place, so it is not put back. Nothing was changed. What was set aside is ${altered.held}`
}

/** A change whose content was set aside with a layer and is no longer what it was, and where it lies; null if there is none. */
async function findAltered(
  changes: readonly FileChange[],
  workspace: RevertDeps['workspace'],
): Promise<{ readonly path: string; readonly held: string } | null> {
  if (!changes.some(({ after }) => after?.held !== undefined)) return null
  // They get their modes when they are put back.
  const altered = await workspace.findAltered(changes, 'content')
  // What another of the changes sets aside first is not there yet.
  const held = altered?.after?.held
  const spot = altered === null || held === undefined ? null : workspace.findHeld(altered.root, held)
  return altered === null || spot === null
    ? null
    : { path: altered.path, held: `${spot.root.path}/${spot.rel}` }
}
