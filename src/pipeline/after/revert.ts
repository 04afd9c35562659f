import { showPath } from '../../core/text/display/show-path.ts'
import type { Digest, FileChange, LeftFiles } from '../../journal/entries/entry.ts'
import { isAboutFile, nameFile } from '../../journal/folds/net-changes.ts'
import type { SessionLog } from '../../journal/log.ts'
import { findForeign } from '../../workspace/landing/contents/find-foreign.ts'
import { isOnlyOpened } from '../../workspace/landing/contents/held.ts'
import { findObeyed } from '../../workspace/landing/checks/find-obeyed.ts'
import { findMadeRepository } from '../../workspace/landing/checks/made-repository.ts'
import { placeOf } from '../../workspace/landing/place-of.ts'
import type { FilePlace } from '../../workspace/landing/place-of.ts'
import { WAITS_ELSEWHERE } from '../made-elsewhere.ts'
import { reverse } from '../commit/roll-back.ts'
import { describeDrift, findDrift, findUnlanded, halfLandedFiles, isAnyElsewhere, isThere } from './drift.ts'
import { joinChanges } from '../commit/join-changes.ts'
import { findGone, readForgotten } from './find-gone.ts'
import { diffChanges } from './diff-changes.ts'
import { findCompensable } from './outside/compensable.ts'
import { planCompensations } from './outside/plan-compensation.ts'
import type { Compensation } from './outside/plan-compensation.ts'
import { reportTakenBack } from './outside/compensate.ts'
import type { TakenBack } from './outside/compensate.ts'
import type { RevertDeps } from './revert-deps.ts'
import { leaveOut, resolveFiles } from './leave-out.ts'
import { actionOf } from './revert-action.ts'
import type { RevertAction } from './revert-action.ts'
import { findClashes, mergeFiles, NOTHING_MERGED } from './merge-file.ts'
import {
  describeForeign,
  describeKept,
  describeObeyed,
  describeRefusals,
  describeRepository,
  describeUnknown,
  joinRemarks,
} from './revert-words.ts'
import { newestUndo, selectCalls } from './select-calls.ts'
import type { UndoSelection } from './select-calls.ts'
import { describeSpared, sparedBy, spareObjects } from './shared-objects.ts'
import { leftBefore, namesOf } from './standing.ts'

/** The outcome of an undo or redo. */
export interface RevertReport {
  readonly ok: boolean
  /** Null if no session was named and none has anything to take back. */
  readonly session: string | null
  readonly calls: readonly string[]
  readonly files: readonly { readonly path: string; readonly action: RevertAction }[]
  /** Folders that change along with them; one that is to be removed stays if something else is in it. Absent if there are none. */
  readonly folders?: RevertReport['files']
  /** What tools take back outside the files; absent if there is nothing. It cannot be redone. */
  readonly outside?: readonly TakenBack[]
  /** Files that changed since the calls, and could not be merged; if there are any, nothing is changed. */
  readonly drifted: readonly string[]
  /** What changes in files that are merged, or in all of them if that is asked for, as a unified diff; absent if nothing does. */
  readonly diff?: string
  /** What went wrong, or null. */
  readonly message: string | null
}

/** A revert that is planned but not carried out yet. */
export interface RevertPlan {
  readonly kind: 'undo' | 'redo'
  readonly report: RevertReport
  /** The calls whose files change; the others are taken back by their tools. */
  readonly calls: readonly string[]
  readonly compensations: readonly Compensation[]
  readonly changes: readonly FileChange[]
  /** Contents that the journal does not have yet. */
  readonly payloads: ReadonlyMap<Digest, Uint8Array>
  readonly left: readonly LeftFiles[]
  /** When the first of what is reverted was done. */
  readonly sinceMs: number
  /** Files of calls that never got fully in place, by root and path: they may be as before the call already. */
  readonly halfLanded: ReadonlySet<string>
  /** Those of the calls that were not in place yet. */
  readonly unlanded: ReadonlySet<string>
}

/** What an undo may do about files that changed since. */
export interface UndoHow {
  /** Takes the calls' lines out of such files and keeps the others. */
  readonly isMerging: boolean
  /** Files to leave as they are, as people write them. */
  readonly except: readonly string[]
}

/** Plans an undo: the exact list of files, without changing any. */
export async function planUndo(
  deps: RevertDeps,
  selection: UndoSelection,
  { isMerging, except }: UndoHow,
): Promise<RevertPlan> {
  const { log } = deps
  const chosen = selectCalls(log, selection, findCompensable(log, deps.tools.registry))
  if (typeof chosen === 'string') return nothing('undo', log, chosen)
  const isOfFiles = ({ found }: (typeof chosen)[number]): boolean => found.changes.length > 0
  const outside = chosen.filter((one) => !isOfFiles(one)).map(({ found }) => found)
  const compensations = planCompensations(outside, log, deps.tools)
  if (typeof compensations === 'string') return nothing('undo', log, compensations)
  const edits = chosen.filter(isOfFiles)
  if (!edits.every(({ seq }) => log.vouchesFor(seq))) return nothing('undo', log, UNVERIFIED)
  const entries = edits.map(({ found }) => found)
  const { places, unknown } = resolveFiles(
    except,
    entries.flatMap(({ changes }) => changes),
    log.key.root,
  )
  if (unknown.length > 0) return nothing('undo', log, describeUnknown(unknown))
  if (entries.length === 0) return withOutside(noFiles(log), compensations)
  const divided = entries.map(({ execution, changes }) => ({ call: execution, ...leaveOut(changes, places) }))
  if (divided.every(({ undone }) => undone.length === 0)) return nothing('undo', log, ALL_LEFT)
  const calls = entries.map(({ execution }) => execution)
  const unlanded = findUnlanded(calls, log)
  if (isAnyElsewhere(calls, deps)) return nothing('undo', log, UNFINISHED_ELSEWHERE)
  const plan = await planRevert(
    {
      kind: 'undo',
      calls,
      unlanded,
      steps: divided.map(({ undone }) => undone.map(reverse)),
      left: divided.flatMap(({ call, left }) => (left.length === 0 ? [] : [{ call, files: namesOf(left) }])),
      sinceMs: Math.min(...edits.map(({ at }) => at)),
      spared: [],
      isMerging,
    },
    deps,
    halfLandedFiles(entries, unlanded, deps),
  )
  return withOutside(plan, compensations)
}

/** A plan for calls of which none changed a file. */
function noFiles(log: SessionLog): RevertPlan {
  const plan = nothing('undo', log, null)
  return { ...plan, report: { ...plan.report, ok: true } }
}

/** Whatever is refused of the files, the tools are not asked either. */
function withOutside(plan: RevertPlan, compensations: readonly Compensation[]): RevertPlan {
  if (compensations.length === 0 || !plan.report.ok) return plan
  const report = { ...plan.report, ...reportTakenBack(plan.calls, compensations) }
  return { ...plan, report, compensations }
}

/** Plans a redo of the newest undo, unless a newer edit has made it stale. */
export async function planRedo(deps: RevertDeps): Promise<RevertPlan> {
  const { log } = deps
  const undo = newestUndo(log)
  if (undo === null) return nothing('redo', log, 'There is no undo to redo.')
  const { found, seq, at } = undo
  if (!log.vouchesFor(seq)) return nothing('redo', log, UNVERIFIED)
  const { calls } = found
  if (isAnyElsewhere([...calls, found.execution], deps)) return nothing('redo', log, UNFINISHED_ELSEWHERE)
  return planRevert(
    {
      kind: 'redo',
      calls,
      unlanded: findUnlanded(calls, log),
      steps: [found.changes.map(reverse)],
      left: leftBefore({ calls, seq }, log.edits()),
      sinceMs: at,
      spared: sparedBy(found, log),
      isMerging: false,
    },
    deps,
    new Set(),
  )
}

/** What a revert puts in place is read from the log, so an entry that another program wrote could have any file written. */
const UNVERIFIED =
  'Nothing was changed: what the log says about the files of these calls was not recorded like that. Run tongs audit verify.'

const UNFINISHED_ELSEWHERE = `Nothing was changed: this is not finished, as ${WAITS_ELSEWHERE}.`

const NOTHING_LEFT =
  'Nothing was changed: nothing of what these calls changed is left in the files. They stay on record as they are.'

const ALL_LEFT = 'Nothing was changed: every file of these calls is left out.'

function nothing(kind: 'undo' | 'redo', log: SessionLog, message: string | null): RevertPlan {
  const report = { ok: false, session: log.key.name, calls: [], files: [], drifted: [], message }
  return {
    kind,
    report,
    calls: [],
    compensations: [],
    changes: [],
    payloads: new Map(),
    left: [],
    sinceMs: Infinity,
    halfLanded: new Set(),
    unlanded: new Set(),
  }
}

/** What is to be reverted: calls, newest first, and the reversed changes of each. */
interface RevertWish {
  readonly kind: 'undo' | 'redo'
  readonly calls: readonly string[]
  readonly unlanded: RevertPlan['unlanded']
  readonly steps: readonly (readonly FileChange[])[]
  readonly left: readonly LeftFiles[]
  /** When the first of what is reverted was done; what git needs is told by what changed since. */
  readonly sinceMs: number
  /** Objects of git that an undo left where they were, and that have to be there still. */
  readonly spared: readonly FileChange[]
  readonly isMerging: boolean
}

/** Joins the reversed changes of several calls, newest first, into one change per file, and checks each against the disk. */
async function planRevert(
  { kind, calls, unlanded, steps, left, sinceMs, spared, isMerging }: RevertWish,
  deps: RevertDeps,
  halfLanded: ReadonlySet<string>,
): Promise<RevertPlan> {
  const { log, workspace } = deps
  const joined = joinChanges(steps.flat())
  // By root and path: one name can stand for a file of each root.
  const nameOf = (file: FilePlace): string => nameFile(file, log.key.root)
  const wanted = spareObjects(joined.changes, sinceMs, workspace)
  const moved = [
    ...joined.between,
    ...(await findDrift([...wanted.changes, ...spared], halfLanded, workspace)),
    ...findClashes(wanted.changes, deps),
  ]
  const changed = new Map(moved.map((file) => [placeOf(file.root, file.path), file]))
  const merged = isMerging ? mergeFiles(steps.flat(), changed, deps) : NOTHING_MERGED
  const drifted = [...changed].flatMap(([place, file]) => (merged.places.has(place) ? [] : [nameOf(file)]))
  const direct = wanted.changes.filter(({ root, path }) => !merged.places.has(placeOf(root, path)))
  const changes = [...direct, ...merged.changes]
  if (isMerging && changes.length === 0 && drifted.length === 0 && wanted.spared === 0)
    return nothing(kind, log, merged.kept.length === 0 ? NOTHING_LEFT : describeKept(merged.kept))
  const show = ({ before, after, ...file }: FileChange) => ({
    path: nameOf(file),
    action: actionOf({ before, after }),
  })
  const folders = direct.filter((change) => !isAboutFile(change) && !isOnlyOpened(change)).map(show)
  const files = [
    ...direct.filter(isAboutFile).map(show),
    ...merged.changes.map((file) => ({ path: nameOf(file), action: 'merged' as const })),
  ]
  const obstacle = drifted.length === 0 ? await workspace.findObstacle(changes) : null
  const isUnhindered = drifted.length === 0 && obstacle === null
  const payloads = new Map([...merged.payloads, ...(isUnhindered ? readForgotten(changes, deps) : [])])
  const repository = isUnhindered ? findMadeRepository(changes) : null
  const obeyed = isUnhindered ? findObeyed(changes) : []
  const said = describeObeyed(
    obeyed.map(({ file, why }) => ({ name: nameOf(file), why })),
    kind,
  )
  const refused =
    repository === null ? (kind === 'redo' ? said : null) : describeRepository(nameOf(repository), kind)
  const toCome = changes.filter((change) => !isThere(change, changes, halfLanded, workspace))
  const gone = refused ?? (isUnhindered ? await findGone(toCome, payloads, deps) : null)
  const isFine = isUnhindered && gone === null
  const message =
    obstacle !== null
      ? `Cannot replace or remove ${showPath(obstacle.path)}: ${obstacle.why}. Nothing was changed.`
      : isUnhindered
        ? (gone ??
          joinRemarks(
            said,
            merged.kept.length === 0 ? null : describeKept(merged.kept),
            describeForeign(findForeign(changes).map(nameOf)),
            describeSpared(wanted.spared),
          ))
        : merged.refusals.length > 0
          ? describeRefusals(merged.refusals)
          : describeDrift(drifted, kind)
  const diff = deps.hasWholeDiff && isFine ? diffChanges(changes, merged.payloads, deps) : merged.diff
  return {
    kind,
    report: {
      ok: isFine,
      session: log.key.name,
      calls,
      files: isFine ? files : [],
      ...(isFine && folders.length > 0 ? { folders } : {}),
      drifted,
      ...(diff === '' ? {} : { diff }),
      message,
    },
    calls,
    compensations: [],
    changes,
    payloads,
    left,
    sinceMs,
    halfLanded,
    unlanded,
  }
}
