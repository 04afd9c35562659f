import { toolError } from '../../core/error.ts'
import type { ToolError } from '../../core/error.ts'
import type { FailedResult } from '../../core/result.ts'
import type { JsonObject } from '../../core/json/value.ts'
import type {
  Entry,
  FileChange,
  NoteEntry,
  RevertedEntry,
  RollBackRecord,
} from '../../journal/entries/entry.ts'
import { readResult } from '../../journal/folds/read-result.ts'
import type { SessionLog, Unlanded } from '../../journal/log.ts'
import type { Landing } from '../../workspace/landing/landing-outcome.ts'
import { placeOf } from '../../workspace/landing/place-of.ts'
import type { Workspace } from '../../workspace/workspace.ts'
import { presentFailure } from '../present.ts'
import { joinChain } from './chains.ts'
import { identifyRoots } from '../made-elsewhere.ts'

/** What taking a commit back needs. */
export interface RollBackDeps {
  readonly log: SessionLog
  readonly workspace: Pick<Workspace, 'land' | 'statusOf' | 'isPending' | 'identityOf'>
  readonly newId: () => string
  readonly digest: (bytes: string | Uint8Array) => string
}

/** A commit that is not fully in place. */
export type Unfinished = Pick<Unlanded, 'execution' | 'changes'>

/** What came of a roll-back. */
export interface RolledBack {
  /** How putting the old contents back went. If it failed, the next command goes on with it. */
  readonly landing: Landing
  /** The results that the calls have now, by execution; none for an undo or redo. */
  readonly results: ReadonlyMap<string, FailedResult>
  /** Files that are neither as before the commit nor as after it; they are left alone. */
  readonly left: readonly string[]
}

const utf8 = new TextEncoder()

/**
 * Takes back a chain of commits, oldest first, that cannot be put in place. The roll-back is one durable append, with the
 * reverse of each commit, and then files, so that it is finished after a crash as any commit is. Null if one of them must
 * not be taken back: a roll-back itself, which is only ever retried.
 */
export function rollBack(
  chain: readonly Unfinished[],
  { because, why }: Pick<RollBackRecord, 'because' | 'why'>,
  { log, workspace, newId, digest }: RollBackDeps,
): RolledBack | null {
  const reversed = chain.toReversed().map(({ execution, changes }) => ({
    execution,
    changes: changes.map(reverse),
    about: log.about(execution).map(({ entry }) => entry),
  }))
  const joined = joinChain(reversed)
  const left =
    because === 'discarded' ? joined.filter((one) => workspace.statusOf(one, joined) === 'drifted') : []
  const leftPlaces = new Set(left.map(({ root, path }) => placeOf(root, path)))
  const isTaken = ({ root, path }: FileChange): boolean => !leftPlaces.has(placeOf(root, path))
  const entries: RevertedEntry[] = []
  const payloads: (readonly [string, Uint8Array])[] = []
  const results = new Map<string, FailedResult>()
  for (const { execution, changes, about } of reversed) {
    const reversal = reversalOf(execution, about)
    if (reversal === null) return null
    const result = newResult(
      execution,
      about,
      errorFor(
        because,
        why,
        changes.filter((one) => !isTaken(one)),
      ),
      log,
    )
    const payload = result === null ? null : utf8.encode(JSON.stringify(result))
    const record = { execution, because, why, result: payload === null ? null : digest(payload) }
    if (payload !== null && record.result !== null) payloads.push([record.result, payload])
    if (result !== null) results.set(execution, result)
    const back = changes.filter(isTaken)
    const roots = identifyRoots(back, workspace)
    entries.push({ ...reversal, execution: newId(), changes: back, ...roots, actor: null, rollsBack: record })
  }
  log.append({
    entries,
    payloads,
    unseen: joined.map(({ root, path }) => `${root}/${path}`),
    reliance: 'durable',
  })
  log.landed(
    chain.map(({ execution }) => execution),
    'given up',
  )
  return {
    landing: landRollBack(entries, joined.filter(isTaken), log, workspace),
    results,
    left: left.map(({ path }) => path),
  }
}

/** Puts the old contents back. A file that somebody changed meanwhile is left to a person. */
function landRollBack(
  entries: readonly RevertedEntry[],
  changes: readonly FileChange[],
  log: SessionLog,
  workspace: RollBackDeps['workspace'],
): Landing {
  const [first, ...others] = entries
    .filter((entry) => entry.changes.length > 0)
    .map(({ execution }) => execution)
  if (first === undefined) return { is: 'landed' }
  const takesBack = takenBackBy(entries)
  const landing = workspace.land(first, changes, log.payload, { others, takesBack })
  if (landing.is === 'landed') log.landed([first, ...others])
  if (landing.is === 'drifted')
    log.append({ entries: inDoubt([first, ...others], { files: [...landing.files] }), reliance: 'durable' })
  return landing
}

/** The calls that roll-backs take back. */
export function takenBackBy(entries: readonly Entry[]): readonly string[] {
  return entries.flatMap((entry) =>
    (entry.kind === 'undo' || entry.kind === 'redo') && entry.rollsBack !== undefined
      ? [entry.rollsBack.execution]
      : [],
  )
}

/** The notes that calls are in doubt. */
export function inDoubt(executions: readonly string[], data: JsonObject): readonly NoteEntry[] {
  return executions.map((execution) => ({ kind: 'note', about: 'in_doubt', execution, data }))
}

/** Whether a later entry has taken this commit back, so that it must not be put in place any more. */
export function isSuperseded(execution: string, log: SessionLog): boolean {
  return log
    .about(execution)
    .some(
      ({ entry, seq }) =>
        (entry.kind === 'undo' || entry.kind === 'redo') &&
        entry.execution !== execution &&
        (entry.calls.includes(execution) || entry.rollsBack?.execution === execution) &&
        log.vouchesFor(seq),
    )
}

/** The same change, the other way round. */
export function reverse({ root, path, before, after, folders }: FileChange): FileChange {
  return { root, path, before: after, after: before, folders }
}

/** Taking back an undo brings the calls back, and taking back a redo takes them back again. */
function reversalOf(
  execution: string,
  about: readonly Entry[],
): Pick<RevertedEntry, 'kind' | 'calls'> | null {
  for (const entry of about) {
    if (!('execution' in entry) || entry.execution !== execution) continue
    if (entry.kind === 'settled') return { kind: 'undo', calls: [execution] }
    if (entry.kind !== 'undo' && entry.kind !== 'redo') continue
    if (entry.rollsBack !== undefined) return null
    return { kind: entry.kind === 'undo' ? 'redo' : 'undo', calls: entry.calls }
  }
  return null
}

function newResult(
  execution: string,
  about: readonly Entry[],
  error: ToolError,
  log: SessionLog,
): FailedResult | null {
  const settled = about.find((entry) => entry.kind === 'settled' && entry.execution === execution)
  if (settled?.kind !== 'settled') return null
  const calls = about.flatMap((entry) => (entry.kind === 'batch' ? entry.calls : []))
  const known = readResult(settled, calls, log.payload)
  // A call that a person discards had ended, and keeps its state.
  const state = error.code === 'discarded' ? known.execution.state : 'ROLLED_BACK'
  return presentFailure(known, { error, phase: 'running' }, { ...known.execution, state })
}

function errorFor(because: RollBackRecord['because'], why: string, left: readonly FileChange[]): ToolError {
  const files = left.map(({ path }) => path)
  if (because === 'discarded')
    return toolError(
      'discarded',
      `The change was not fully in place and was discarded; the files are as before the call${files.length === 0 ? '' : `, except ${files.join(', ')}, which changed outside it`}.`,
      { effects: 'taken back', left: files },
    )
  return toolError(
    'execution_failed',
    `${why} All files of this call are as before.`,
    { reason: 'obstacle', effects: 'rolled back' },
    ['Remove the obstacle or leave that file out, then try again.'],
  )
}
