import type { Settings } from '../../config/keys.ts'
import { showPath } from '../../core/text/display/show-path.ts'
import type { Digest, FileChange, RevertedEntry } from '../../journal/entries/entry.ts'
import { findMadeRepository } from '../../workspace/landing/checks/made-repository.ts'
import { withoutErased } from '../../workspace/landing/contents/without-erased.ts'
import { placeOf } from '../../workspace/landing/place-of.ts'
import type { Workspace } from '../../workspace/workspace.ts'
import { tellNowAndThen } from '../commit/landing-progress.ts'
import type { OnProgress } from '../commit/landing-progress.ts'
import { identifyRoots } from '../made-elsewhere.ts'
import { rollBack } from '../commit/roll-back.ts'
import type { RollBackDeps } from '../commit/roll-back.ts'
import { nameFile } from '../../journal/folds/net-changes.ts'
import { describeDrift, findDrift } from './drift.ts'
import type { RevertPlan, RevertReport } from './revert.ts'
import { compensate, describeTakenBack, reportTakenBack } from './outside/compensate.ts'
import { describeRepository, joinRemarks } from './revert-words.ts'

/** What carrying out a plan needs. */
export interface CarryOutDeps extends RollBackDeps {
  readonly workspace: Workspace
  readonly settings: Settings
  /** Told now and then how many of many files are in place. */
  readonly onProgress?: OnProgress | undefined
}

/** Carries out a plan: first what tools take back outside, since that alone can fail after all was checked, then the files. */
export async function carryOut(
  plan: RevertPlan,
  deps: CarryOutDeps,
  actor: RevertedEntry['actor'],
): Promise<RevertReport> {
  if (!plan.report.ok) return plan.report
  const { done, why } = await compensate(plan.compensations, { ...deps, actor })
  const outside = done.length === 0 ? {} : reportTakenBack([], done)
  if (why !== null) return { ...nothingDone(plan.report), calls: [], ...outside, message: why }
  if (plan.calls.length === 0) return plan.report
  const report = await putInPlace(plan, deps, actor)
  if (report.ok || done.length === 0) return report
  const message = joinRemarks(report.message, describeTakenBack(done))
  return { ...report, ...reportTakenBack(report.calls, done), message }
}

/** Puts the files in place: one durable entry, then the files. If they cannot be put in place, all of it is taken back. */
async function putInPlace(
  plan: RevertPlan,
  { log, workspace, newId, digest, onProgress }: CarryOutDeps,
  actor: RevertedEntry['actor'],
): Promise<RevertReport> {
  const execution = newId()
  const stored = (content: Digest): Uint8Array | null => plan.payloads.get(content) ?? log.payload(content)
  const attributed = await workspace.withAttributes(plan.changes, stored)
  const payloads = new Map<Digest, Uint8Array>([...plan.payloads, ...attributed.payloads])
  const isStored = (content: Digest): boolean => payloads.has(content) || log.payload(content) !== null
  const changes = attributed.changes.map((change) => withoutErased(change, isStored))
  const isMany = changes.length > LOOKED_AT_AT_ONCE
  const moved = isMany ? await findDrift(changes, plan.halfLanded, workspace) : []
  const drifted = moved.map((file) => nameFile(file, log.key.root))
  if (drifted.length > 0)
    return { ...nothingDone(plan.report), drifted, message: describeDrift(drifted, plan.kind) }
  const repository = findMadeRepository(changes)
  if (repository !== null)
    return {
      ...nothingDone(plan.report),
      message: describeRepository(nameFile(repository, log.key.root), plan.kind),
    }
  if (workspace.findNeededObjects(changes, plan.sinceMs).length > 0)
    return {
      ...nothingDone(plan.report),
      message: `The repository of git changed just now. Nothing was changed. Run the ${plan.kind} again.`,
    }
  const left = plan.left.length === 0 ? {} : { left: plan.left }
  const entry: RevertedEntry = {
    kind: plan.kind,
    execution,
    calls: plan.calls,
    changes,
    ...identifyRoots(changes, workspace),
    actor,
    ...left,
  }
  try {
    log.append({
      entries: [entry],
      payloads,
      unseen: changes.map(({ root, path }) => `${root}/${path}`),
      reliance: 'durable',
      confirm: (others) => requireUnchanged({ ...plan, changes }, others, workspace, log.key.root),
    })
  } catch (thrown) {
    if (!(thrown instanceof Drifted)) throw thrown
    return { ...nothingDone(plan.report), drifted: thrown.files, message: thrown.message }
  }
  // What is taken back here is not to be put in place any more. Asking again takes reading the entry that was just written.
  const unlanded = new Set(plan.unlanded.size === 0 ? [] : log.unlanded().map((one) => one.execution))
  for (const call of plan.calls) if (unlanded.has(call)) log.landed(call, 'given up')
  const landing = await workspace.landGently(execution, changes, log.payload, {
    onProgress: onProgress === undefined ? undefined : tellNowAndThen(onProgress),
  })
  if (landing.is === 'landed') {
    log.landed(execution)
    return plan.report
  }
  if (landing.is === 'failed' && landing.isLasting) {
    const why = { because: 'obstacle', why: landing.why } as const
    const done = rollBack([{ execution, changes }], why, { log, workspace, newId, digest })
    const message =
      done?.landing.is === 'landed'
        ? `${landing.why} Nothing was changed.`
        : `${landing.why} The ${plan.kind} is being taken back; the next tongs command on this root goes on with that.`
    return { ...nothingDone(plan.report), message }
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
  const message = `Committed, but not fully in place: ${files.map(showPath).join(', ')} ${landing.why ?? 'changed in the meantime'}. Run tongs recover.`
  return { ...plan.report, ok: false, drifted: files, message }
}

/** A report that names nothing as done. */
function nothingDone({ session, calls, drifted, message }: RevertReport): RevertReport {
  return { ok: false, session, calls, files: [], drifted, message }
}

/** Thrown if files turn out to have changed right before an undo or redo is recorded. */
class Drifted extends Error {
  readonly files: readonly string[]
  constructor(files: readonly string[], kind: 'undo' | 'redo') {
    super(describeDrift(files, kind))
    this.files = files
  }
}

/**
 * The most files that are looked at in one go while the journal is locked. More are looked at right before, with pauses;
 * landing looks at all of them once more before it moves the first.
 */
const LOOKED_AT_AT_ONCE = 500

function requireUnchanged(
  { kind, changes, halfLanded }: Pick<RevertPlan, 'kind' | 'changes' | 'halfLanded'>,
  others: readonly FileChange[],
  workspace: Workspace,
  ownRoot: string,
): void {
  const taken = new Set(others.map(({ root, path }) => placeOf(root, path)))
  const isHalf = (change: FileChange): boolean => halfLanded.has(placeOf(change.root, change.path))
  const isMany = changes.length > LOOKED_AT_AT_ONCE
  const moved = isMany ? [] : workspace.findDriftNow(changes, isHalf)
  const files = new Set(moved.map((file) => nameFile(file, ownRoot)))
  for (const { root, path } of changes)
    if (taken.has(placeOf(root, path)) || (isMany && workspace.isReserved(root, path)))
      files.add(nameFile({ root, path }, ownRoot))
  if (files.size > 0) throw new Drifted([...files], kind)
}
