import type { FileChange, RevertedEntry, SettledEntry } from '../../journal/entries/entry.ts'
import { isAboutFile } from '../../journal/folds/net-changes.ts'
import type { SessionLog } from '../../journal/log.ts'
import { placeOf } from '../../workspace/landing/place-of.ts'
import type { Workspace } from '../../workspace/workspace.ts'
import { tellNowAndThen } from '../commit/landing-progress.ts'
import type { OnProgress } from '../commit/landing-progress.ts'
import { reverse, rollBack } from '../commit/roll-back.ts'
import { joinChanges } from './join-changes.ts'
import type { RollBackDeps } from '../commit/roll-back.ts'
import { newestUndo, selectCalls } from './select-calls.ts'
import type { UndoSelection } from './select-calls.ts'

/** What a revert did to a file. */
export type RevertAction = 'restored' | 'removed' | 'recreated'

/** The outcome of an undo or redo. */
export interface RevertReport {
  readonly ok: boolean
  readonly calls: readonly string[]
  readonly files: readonly { readonly path: string; readonly action: RevertAction }[]
  /** Files that changed since the calls; if there are any, nothing is changed. */
  readonly drifted: readonly string[]
  /** What went wrong, or null. */
  readonly message: string | null
}

/** A revert that is planned but not carried out yet. */
export interface RevertPlan {
  readonly kind: 'undo' | 'redo'
  readonly report: RevertReport
  readonly changes: readonly FileChange[]
  /** Files of calls that never got fully in place, by root and path: they may be as before the call already. */
  readonly halfLanded: ReadonlySet<string>
}

/** Plans an undo: the exact list of files, without changing any. */
export async function planUndo(
  log: SessionLog,
  workspace: Workspace,
  selection: UndoSelection,
): Promise<RevertPlan> {
  const chosen = selectCalls(log, selection)
  if (typeof chosen === 'string') return nothing('undo', chosen)
  if (!chosen.every(({ seq }) => log.vouchesFor(seq))) return nothing('undo', UNVERIFIED)
  const entries = chosen.map(({ found }) => found)
  const calls = entries.map(({ execution }) => execution)
  const steps = entries.map(({ changes }) => changes.map(reverse))
  return planRevert({ kind: 'undo', calls, steps }, workspace, halfLandedFiles(entries, log, workspace))
}

/** Plans a redo of the newest undo, unless a newer edit has made it stale. */
export async function planRedo(log: SessionLog, workspace: Workspace): Promise<RevertPlan> {
  const undo = newestUndo(log)
  if (undo === null) return nothing('redo', 'There is no undo to redo.')
  const { found, seq } = undo
  if (!log.vouchesFor(seq)) return nothing('redo', UNVERIFIED)
  return planRevert(
    { kind: 'redo', calls: found.calls, steps: [found.changes.map(reverse)] },
    workspace,
    new Set(),
  )
}

/** What a revert puts in place is read from the log, so an entry that another program wrote could have any file written. */
const UNVERIFIED =
  'Nothing was changed: what the log says about the files of these calls was not recorded like that. Run tongs audit verify.'

/** What carrying out a plan needs. */
export interface CarryOutDeps extends RollBackDeps {
  readonly workspace: Workspace
  /** Told now and then how many of many files are in place. */
  readonly onProgress?: OnProgress | undefined
}

/** Carries out a plan: one durable entry, then the files. If they cannot be put in place, all of it is taken back. */
export async function carryOut(
  plan: RevertPlan,
  { log, workspace, newId, digest, onProgress }: CarryOutDeps,
  actor: RevertedEntry['actor'],
): Promise<RevertReport> {
  if (!plan.report.ok) return plan.report
  const execution = newId()
  const { changes, payloads } = workspace.withAttributes(plan.changes)
  const lost = await workspace.findMissing(changes, (content) => log.payload(content) !== null)
  if (lost !== null)
    return {
      ...plan.report,
      ok: false,
      files: [],
      message:
        lost.after?.held === undefined
          ? `The content of ${lost.path} was erased from the journal, so it cannot be restored.`
          : `The content of ${lost.path} that was set aside is gone, so it cannot be restored. It was forgotten, or somebody removed it.`,
    }
  const altered = await findAltered(changes, workspace)
  if (altered !== null)
    return {
      ...plan.report,
      ok: false,
      files: [],
      message: `The content of ${altered.path} that was set aside has been changed since, by a program that had it open or in its place, so it is not put back. Nothing was changed. What was set aside is ${altered.held}`,
    }
  const isMany = changes.length > LOOKED_AT_AT_ONCE
  const drifted = isMany ? await findDrift(changes, plan.halfLanded, workspace) : []
  if (drifted.length > 0)
    return { ...plan.report, ok: false, files: [], drifted, message: describeDrift(drifted) }
  const entry: RevertedEntry = { kind: plan.kind, execution, calls: plan.report.calls, changes, actor }
  try {
    log.append({
      entries: [entry],
      payloads,
      unseen: changes.map(({ root, path }) => `${root}/${path}`),
      reliance: 'durable',
      confirm: (others) => requireUnchanged({ ...plan, changes }, others, workspace),
    })
  } catch (thrown) {
    if (!(thrown instanceof Drifted)) throw thrown
    return { ...plan.report, ok: false, files: [], drifted: thrown.files, message: thrown.message }
  }
  // What is taken back here is not to be put in place any more.
  const unlanded = new Set(log.unlanded().map((one) => one.execution))
  for (const call of plan.report.calls) if (unlanded.has(call)) log.landed(call, 'given up')
  const landing = await workspace.landGently(execution, changes, log.payload, {
    onProgress: onProgress === undefined ? undefined : tellNowAndThen(onProgress),
  })
  if (landing.is === 'landed') {
    log.landed(execution)
    return plan.report
  }
  if (landing.is === 'failed' && landing.isLasting) {
    const why = { because: 'obstacle', why: landing.why } as const
    const done = rollBack({ execution, changes }, why, { log, workspace, newId, digest })
    const message =
      done?.landing.is === 'landed'
        ? `${landing.why} Nothing was changed.`
        : `${landing.why} The ${plan.kind} is being taken back; the next tongs command on this root goes on with that.`
    return { ...plan.report, ok: false, files: [], message }
  }
  if (landing.is === 'failed') {
    const message = `Committed, but ${landing.file} could not be put in place: ${landing.why} The next tongs command on this root retries it.`
    return { ...plan.report, ok: false, message }
  }
  const { files } = landing
  log.append({
    entries: [{ kind: 'note', about: 'in_doubt', execution, data: { files: [...files] } }],
    reliance: 'durable',
  })
  const message = `Committed, but not fully in place: ${files.join(', ')} changed in the meantime. Run tongs recover.`
  return { ...plan.report, ok: false, drifted: files, message }
}

/** A change whose content was set aside with a layer and is no longer what it was, and where it lies; null if there is none. */
async function findAltered(
  changes: readonly FileChange[],
  workspace: Workspace,
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

/** Thrown if files turn out to have changed right before an undo or redo is recorded. */
class Drifted extends Error {
  readonly files: readonly string[]
  constructor(files: readonly string[]) {
    super(describeDrift(files))
    this.files = files
  }
}

/**
 * The most files that are looked at in one go while the journal is locked. More are looked at right before, with pauses;
 * landing looks at all of them once more before it moves the first.
 */
const LOOKED_AT_AT_ONCE = 500

function requireUnchanged(
  { changes, halfLanded }: Pick<RevertPlan, 'changes' | 'halfLanded'>,
  others: readonly FileChange[],
  workspace: Workspace,
): void {
  const taken = new Set(others.map(({ root, path }) => placeOf(root, path)))
  const isHalf = (change: FileChange): boolean => halfLanded.has(placeOf(change.root, change.path))
  const isMany = changes.length > LOOKED_AT_AT_ONCE
  const files = new Set(isMany ? [] : workspace.findDriftNow(changes, isHalf))
  for (const { root, path } of changes)
    if (taken.has(placeOf(root, path)) || (isMany && workspace.isReserved(root, path))) files.add(path)
  if (files.size > 0) throw new Drifted([...files])
}

/** Files that are not as the calls left them. */
function findDrift(
  changes: readonly FileChange[],
  halfLanded: ReadonlySet<string>,
  workspace: Workspace,
): Promise<readonly string[]> {
  return workspace.findDrift(changes, ({ root, path }) => halfLanded.has(placeOf(root, path)))
}

/** The files of those calls that are on record as not fully in place. */
function halfLandedFiles(
  calls: readonly SettledEntry[],
  log: SessionLog,
  workspace: Workspace,
): ReadonlySet<string> {
  const unlanded = new Set(log.unlanded().map(({ execution }) => execution))
  const isHalf = ({ execution }: SettledEntry): boolean =>
    (unlanded.has(execution) && !workspace.isPending(execution)) ||
    log.about(execution).some(({ entry }) => entry.kind === 'note' && entry.about === 'in_doubt')
  return new Set(
    calls.filter(isHalf).flatMap(({ changes }) => changes.map(({ root, path }) => placeOf(root, path))),
  )
}

function describeDrift(files: readonly string[]): string {
  return `Changed since: ${files.join(', ')}. Nothing was changed; revert those later changes first, or undo another call.`
}

function nothing(kind: 'undo' | 'redo', message: string): RevertPlan {
  const report = { ok: false, calls: [], files: [], drifted: [], message }
  return { kind, report, changes: [], halfLanded: new Set() }
}

/** What is to be reverted: calls, newest first, and the reversed changes of each. */
interface RevertWish {
  readonly kind: 'undo' | 'redo'
  readonly calls: readonly string[]
  readonly steps: readonly (readonly FileChange[])[]
}

/** Joins the reversed changes of several calls, newest first, into one change per file, and checks each against the disk. */
async function planRevert(
  { kind, calls, steps }: RevertWish,
  workspace: Workspace,
  halfLanded: ReadonlySet<string>,
): Promise<RevertPlan> {
  const { changes, between } = joinChanges(steps.flat())
  const drifted = new Set(between)
  for (const path of await findDrift(changes, halfLanded, workspace)) drifted.add(path)
  const files = changes
    .filter(isAboutFile)
    .map(({ path, before, after }) => ({ path, action: actionOf(before !== null, after !== null) }))
  const obstacle = drifted.size === 0 ? await workspace.findObstacle(changes) : null
  const isFine = drifted.size === 0 && obstacle === null
  const message =
    obstacle === null
      ? isFine
        ? null
        : describeDrift([...drifted])
      : `Cannot replace or remove ${obstacle.path}: ${obstacle.why}. Nothing was changed.`
  return {
    kind,
    report: { ok: isFine, calls, files: isFine ? files : [], drifted: [...drifted], message },
    changes,
    halfLanded,
  }
}

function actionOf(isThere: boolean, willBe: boolean): RevertAction {
  if (!willBe) return 'removed'
  return isThere ? 'restored' : 'recreated'
}
