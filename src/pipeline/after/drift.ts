import { isMadeElsewhere } from '../made-elsewhere.ts'
import { showPath } from '../../core/text/display/show-path.ts'
import type { FileChange, SettledEntry } from '../../journal/entries/entry.ts'
import type { SessionLog } from '../../journal/log.ts'
import { placeOf } from '../../workspace/landing/place-of.ts'
import type { FilePlace } from '../../workspace/landing/place-of.ts'
import type { Workspace } from '../../workspace/workspace.ts'

/** Files that are not as the calls left them. */
export function findDrift(
  changes: readonly FileChange[],
  halfLanded: ReadonlySet<string>,
  workspace: Workspace,
): Promise<readonly FilePlace[]> {
  return workspace.findDrift(changes, ({ root, path }) => halfLanded.has(placeOf(root, path)))
}

/** Those of some calls that are committed and not in place yet. */
export function findUnlanded(calls: readonly string[], log: SessionLog): ReadonlySet<string> {
  const unlanded = new Set(log.unlanded().map(({ execution }) => execution))
  return new Set(calls.filter((call) => unlanded.has(call)))
}

/** Whether one of some commits waits for the folder that it was made in: what is here is not what it left half in place. */
export function isAnyElsewhere(
  executions: readonly string[],
  { log, workspace }: { readonly log: SessionLog; readonly workspace: Workspace },
): boolean {
  return log
    .unlanded()
    .some((one) => executions.includes(one.execution) && isMadeElsewhere(one, log, workspace))
}

/** The files of those calls that are on record as not fully in place. */
export function halfLandedFiles(
  calls: readonly SettledEntry[],
  unlanded: ReadonlySet<string>,
  { log, workspace }: { readonly log: SessionLog; readonly workspace: Workspace },
): ReadonlySet<string> {
  const isHalf = ({ execution }: SettledEntry): boolean =>
    (unlanded.has(execution) && !workspace.isPending(execution)) ||
    log.about(execution).some(({ entry }) => entry.kind === 'note' && entry.about === 'in_doubt')
  return new Set(
    calls.filter(isHalf).flatMap(({ changes }) => changes.map(({ root, path }) => placeOf(root, path))),
  )
}

/**
 * Whether the file of a call that never got fully in place is already as a revert is to leave it, so that nothing has to be
 * moved there. What comes from the journal has to be in it all the same, as the entry names it.
 */
export function isThere(
  change: FileChange,
  all: readonly FileChange[],
  halfLanded: ReadonlySet<string>,
  workspace: Pick<Workspace, 'statusOf'>,
): boolean {
  if (change.after?.held === undefined) return false
  return halfLanded.has(placeOf(change.root, change.path)) && workspace.statusOf(change, all) === 'after'
}

/** What became of an undo or redo because of files that changed since, and what to do. */
export function describeDrift(files: readonly string[], kind: 'undo' | 'redo'): string {
  const wayOn =
    kind === 'undo'
      ? '--merge takes back only the lines of the calls and keeps the others; --except FILE leaves a file as it is.'
      : 'Revert those later changes first.'
  return `Changed since: ${files.map(showPath).join(', ')}. Nothing was changed. ${wayOn}`
}
