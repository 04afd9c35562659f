import { copyDraftOf } from '../../host/root/move-name.ts'
import { reachOwn } from '../../host/root/open-own.ts'
import { folderOf, joinRel } from '../../host/root/rel-path.ts'
import type { Root } from '../../host/root/root.ts'
import type { FileChange } from '../../journal/entries/entry.ts'
import { inspect, amongAll } from './change-status.ts'
import type { Target } from './change-status.ts'
import { closeLeftOpen, findStrangers, removeIfEmpty } from './folder-changes.ts'
import { isFolder } from './contents/held.ts'
import { attempt, drift, failed } from './landing-outcome.ts'
import type { FailedLanding, Landing } from './landing-outcome.ts'
import { dropSecondName } from './contents/move-content.ts'
import { placeOf } from './place-of.ts'
import { Settling } from './settle.ts'
import type { LandingOptions } from './settle.ts'

/**
 * Puts committed changes in place. May be repeated: what is already in place stays. All new contents are written before
 * the first of them gets its name, so that a full disk is noticed while everything is as before. Yields after each file,
 * so that the caller can pause.
 */
export function* landing(changes: readonly FileChange[], options: LandingOptions): Generator<null, Landing> {
  const landed = yield* tryToLand(changes, options)
  // Retried once at once: a passing failure must not leave one file changed and the next one not.
  return landed.is === 'failed' ? yield* tryToLand(changes, { ...options, known: null }) : landed
}

function* tryToLand(changes: readonly FileChange[], options: LandingOptions): Generator<null, Landing> {
  let at = ''
  const planned: Planned[] = []
  try {
    const among = amongAll(changes)
    const coming = new Set(
      changes
        .filter(({ before, after }) => isFolder(after) && !isFolder(before))
        .map(({ root, path }) => placeOf(root, path)),
    )
    for (const [index, change] of changes.entries()) {
      const staged = joinRel(stagingFolder(change, coming), stagedName(options.execution, index))
      planned.push({ change, root: options.rootOf(change.root), staged })
    }
    // Before the folders that were made for it are removed, if they are empty then.
    const left = removeStaged(options.takesBack ?? [], changes, options.rootOf)
    const targets: Target[] = []
    for (const target of planned) {
      at = target.change.path
      targets.push({ ...target, ...inspect(target.change, among, options) })
      yield null
    }
    const drifted = targets.filter(({ status }) => status === 'drifted')
    const strangers = drifted.length > 0 ? [] : findStrangers(targets)
    const landed =
      drifted.length > 0
        ? drift(drifted)
        : strangers.length > 0
          ? ({ is: 'drifted', files: strangers.map(({ path }) => path) } as const)
          : yield* new Settling(targets, among, options).run()
    const isRepeated = targets.some(({ status }) => status !== 'before')
    const unswept = landed.is !== 'landed' || isRepeated ? sweep(targets, options) : null
    if (landed.is !== 'landed') closeLeftOpen(targets)
    // Whoever puts files in place or takes a call back goes on until nothing of it is left beside them.
    return landed.is === 'landed' ? (left ?? unswept ?? landed) : landed
  } catch (thrown) {
    // An earlier attempt may have been interrupted, and as long as files cannot be read there is none that would go on with it.
    sweep(planned, options)
    return failed(at, thrown)
  }
}

/** A change that has not been looked at yet. */
type Planned = Pick<Target, 'change' | 'root' | 'staged'>

/** The name of new content until it is in place, by which leftovers are recognised. */
function stagedName(execution: string, index: number | ''): string {
  return `.tongs-${execution}-${index}`
}

/**
 * Removes what a power cut may leave of landed calls: a file that was exchanged for its new content, and then removed, is
 * back under the name that the new content had. Called only after the machine was restarted.
 */
export function sweepExchanged(
  commits: readonly { readonly execution: string; readonly changes: readonly FileChange[] }[],
  rootOf: LandingOptions['rootOf'],
): void {
  const executions = commits.map(({ execution }) => execution)
  const changes = commits.flatMap((commit) => commit.changes)
  removeStaged(executions, changes, rootOf)
}

/**
 * Removes what has the name of new content of these calls, beside the files of their changes and in the folders above,
 * where contents of new folders are written. Gives the first failure.
 */
function removeStaged(
  executions: readonly string[],
  changes: readonly FileChange[],
  rootOf: LandingOptions['rootOf'],
): FailedLanding | null {
  if (executions.length === 0) return null
  const folders = new Map<string, readonly [Root, string]>()
  for (const { root, path } of changes)
    for (let at = path; at !== ''; at = folderOf(at))
      folders.set(placeOf(root, folderOf(at)), [rootOf(root), folderOf(at)])
  const failures: (FailedLanding | null)[] = []
  for (const [root, folder] of folders.values())
    attempt(() => {
      for (const { exactName } of root.list(folder))
        if (executions.some((execution) => exactName.startsWith(stagedName(execution, ''))))
          failures.push(removeOwn(root, joinRel(folder, exactName)))
    })
  return failures.find((failure) => failure !== null) ?? null
}

/** Removes a name that a landing gave, if it is there, also from a folder that the landing has closed again. */
function removeOwn(root: Root, rel: string): FailedLanding | null {
  try {
    reachOwn({ root, rel }, () => root.stat(rel) !== null && root.unlink(rel), 'change')
    return null
  } catch (thrown) {
    return failed(rel, thrown)
  }
}

/** New content is written where it will be, or in the nearest folder above that is there from the beginning. */
function stagingFolder({ root, path }: FileChange, coming: ReadonlySet<string>): string {
  let folder = folderOf(path)
  while (coming.has(placeOf(root, folder))) folder = folderOf(folder)
  return folder
}

/**
 * Removes content that did not get its final name, second names, and the folders that were created for it. Gives the first
 * content that stays.
 */
function sweep(targets: readonly Planned[], options: LandingOptions): FailedLanding | null {
  const failures: (FailedLanding | null)[] = []
  for (const target of targets) {
    const { change, root, staged } = target
    if (change.after === null) continue
    for (const own of [staged, copyDraftOf(staged)]) failures.push(removeOwn(root, own))
    attempt(() => dropSecondName(target, options))
    for (const folder of change.folders.toReversed()) attempt(() => removeIfEmpty(root, folder))
  }
  return failures.find((failure) => failure !== null) ?? null
}
