import type { FileChange, RevertedEntry, SettledEntry } from '../../journal/entries/entry.ts'
import type { SessionLog } from '../../journal/log.ts'
import type { Workspace } from '../../workspace/workspace.ts'

/** Which calls to undo. */
export type UndoSelection =
  | { readonly is: 'last'; readonly count: number }
  | { readonly is: 'turn' }
  /** By id or unique prefix of an id. */
  | { readonly is: 'calls'; readonly executions: readonly string[] }

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
}

/** Plans an undo: the exact list of files, without changing any. */
export function planUndo(log: SessionLog, workspace: Workspace, selection: UndoSelection): RevertPlan {
  const chosen = selectCalls(log, selection)
  if (typeof chosen === 'string') return nothing('undo', chosen)
  return planRevert(
    'undo',
    chosen.map(({ execution }) => execution),
    chosen.map(({ changes }) => changes.map(reverse)),
    workspace,
  )
}

/** Plans a redo of the newest undo, unless a newer edit has made it stale. */
export function planRedo(log: SessionLog, workspace: Workspace): RevertPlan {
  const undo = newestUndo(log)
  if (undo === null) return nothing('redo', 'There is no undo to redo.')
  return planRevert('redo', undo.calls, [undo.changes.map(reverse)], workspace)
}

/** Carries out a plan: one durable entry, then the files. */
export function carryOut(
  plan: RevertPlan,
  log: SessionLog,
  workspace: Workspace,
  { execution, actor }: Pick<RevertedEntry, 'execution' | 'actor'>,
): RevertReport {
  if (!plan.report.ok) return plan.report
  const { changes, payloads } = workspace.withAttributes(plan.changes)
  const lost = changes.find(({ after }) => after !== null && log.payload(after.digest) === null)
  if (lost !== undefined)
    return {
      ...plan.report,
      ok: false,
      message: `The content of ${lost.path} was erased from the journal, so it cannot be restored.`,
    }
  const entry: RevertedEntry = { kind: plan.kind, execution, calls: plan.report.calls, changes, actor }
  try {
    log.append({
      entries: [entry],
      payloads,
      unseen: changes.map(({ root, path }) => `${root}/${path}`),
      reliance: 'durable',
      confirm: (others) => requireUnchanged(changes, others, workspace),
    })
  } catch (thrown) {
    if (!(thrown instanceof Drifted)) throw thrown
    return { ...plan.report, ok: false, files: [], drifted: thrown.files, message: thrown.message }
  }
  const landing = workspace.land(execution, changes, log.payload)
  if (landing.is === 'landed') {
    log.landed(execution)
    return plan.report
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

/** Thrown if files turn out to have changed right before an undo or redo is recorded. */
class Drifted extends Error {
  readonly files: readonly string[]
  constructor(files: readonly string[]) {
    super(describeDrift(files))
    this.files = files
  }
}

function requireUnchanged(
  changes: readonly FileChange[],
  others: readonly FileChange[],
  workspace: Workspace,
): void {
  const taken = new Set(others.map(({ root, path }) => `${root}\0${path}`))
  const files = new Set(workspace.findDrift(changes))
  for (const { root, path } of changes) if (taken.has(`${root}\0${path}`)) files.add(path)
  if (files.size > 0) throw new Drifted([...files])
}

function describeDrift(files: readonly string[]): string {
  return `Changed since: ${files.join(', ')}. Nothing was changed; revert those later changes first, or undo another call.`
}

function nothing(kind: 'undo' | 'redo', message: string): RevertPlan {
  return { kind, report: { ok: false, calls: [], files: [], drifted: [], message }, changes: [] }
}

/** The chosen calls, newest first, or why there are none. */
function selectCalls(log: SessionLog, selection: UndoSelection): readonly SettledEntry[] | string {
  const named = selection.is === 'calls' ? resolveCalls(log, selection.executions) : []
  if (typeof named === 'string') return named
  const wanted = new Set(named)
  const chosen: SettledEntry[] = []
  for (const call of undoable(log)) {
    if (selection.is === 'last' && chosen.length === selection.count) break
    if (selection.is === 'turn' && chosen.length > 0 && chosen[0]?.turn !== call.turn) break
    if (selection.is === 'calls') {
      if (wanted.size === 0) break
      if (!wanted.delete(call.execution)) continue
    }
    chosen.push(call)
  }
  if (wanted.size > 0)
    return `Nothing to undo: ${[...wanted].join(', ')} changed no file in this session or is already undone.`
  return chosen.length === 0 ? 'There is nothing to undo in this session.' : chosen
}

/** Calls with committed changes that are not undone, newest first; the latest undo or redo of a call counts. */
function* undoable(log: SessionLog): Generator<SettledEntry> {
  const status = new Map<string, 'done' | 'undone'>()
  for (const { entry } of log.edits()) {
    if (entry.kind === 'undo' || entry.kind === 'redo') {
      const now = entry.kind === 'undo' ? 'undone' : 'done'
      for (const call of entry.calls) if (!status.has(call)) status.set(call, now)
    } else if (
      entry.kind === 'settled' &&
      entry.changes.length > 0 &&
      status.get(entry.execution) !== 'undone'
    ) {
      yield entry
    }
  }
}

function newestUndo(log: SessionLog): RevertedEntry | null {
  let redone = 0
  for (const { entry } of log.edits()) {
    if (entry.kind === 'settled' && entry.changes.length > 0) return null
    if (entry.kind === 'redo') redone++
    else if (entry.kind === 'undo') {
      if (redone === 0) return entry
      redone--
    }
  }
  return null
}

function reverse({ root, path, before, after, folders }: FileChange): FileChange {
  return { root, path, before: after, after: before, folders }
}

/** Joins the reversed changes of several calls, newest first, into one change per file, and checks each against the disk. */
function planRevert(
  kind: 'undo' | 'redo',
  calls: readonly string[],
  steps: readonly (readonly FileChange[])[],
  workspace: Workspace,
): RevertPlan {
  const joined = new Map<string, FileChange>()
  const drifted = new Set<string>()
  for (const change of steps.flat()) {
    const key = `${change.root}\0${change.path}`
    const earlier = joined.get(key)
    if (earlier === undefined) {
      joined.set(key, change)
      continue
    }
    // The file was changed between the two calls; undoing both would lose that change.
    if (earlier.after?.digest !== change.before?.digest) drifted.add(change.path)
    joined.set(key, {
      ...change,
      before: earlier.before,
      folders: [...new Set([...change.folders, ...earlier.folders])],
    })
  }
  const changes = [...joined.values()].filter(
    ({ before, after }) => before?.digest !== after?.digest || before?.mode !== after?.mode,
  )
  for (const path of workspace.findDrift(changes)) drifted.add(path)
  const files = changes.map(({ path, before, after }) => ({
    path,
    action: actionOf(before !== null, after !== null),
  }))
  const isFine = drifted.size === 0
  const message = isFine ? null : describeDrift([...drifted])
  return {
    kind,
    report: { ok: isFine, calls, files: isFine ? files : [], drifted: [...drifted], message },
    changes,
  }
}

function actionOf(isThere: boolean, willBe: boolean): RevertAction {
  if (!willBe) return 'removed'
  return isThere ? 'restored' : 'recreated'
}

/** Resolves ids or prefixes of ids to calls of a session, or says which is ambiguous. */
function resolveCalls(log: SessionLog, prefixes: readonly string[]): readonly string[] | string {
  const hasEnded = (execution: string): boolean =>
    log.about(execution).some(({ entry }) => entry.kind === 'settled' && entry.execution === execution)
  const named: string[] = []
  for (const prefix of prefixes) {
    const matches = hasEnded(prefix) ? [prefix] : log.findCalls(prefix).filter(hasEnded)
    if (matches.length > 1) return `Nothing was undone: ${prefix} could be ${matches.join(', ')}.`
    // The caller reports an unknown id when it finds no changes for it.
    named.push(matches[0] ?? prefix)
  }
  return named
}
