import { shellWord } from '../../core/command/shell-word.ts'
import type { Settings } from '../../config/keys.ts'
import type { Actor } from '../../core/call.ts'
import { digest } from '../../host/system/hash.ts'
import type { LogReader, SessionLog } from '../../journal/log.ts'
import { carryOut } from '../../pipeline/after/carry-out.ts'
import { planRedo, planUndo } from '../../pipeline/after/revert.ts'
import { findCompensable, hasCompensating } from '../../pipeline/after/outside/compensable.ts'
import type { Compensating } from '../../pipeline/after/outside/compensable.ts'
import type { ToolFacts } from '../../pipeline/after/outside/plan-compensation.ts'
import type { RevertDeps } from '../../pipeline/after/revert-deps.ts'
import type { RevertPlan, RevertReport } from '../../pipeline/after/revert.ts'
import { newestOf, newestUndo, undoable } from '../../pipeline/after/select-calls.ts'
import type { UndoSelection } from '../../pipeline/after/select-calls.ts'
import type { Workspace } from '../../workspace/workspace.ts'
import type { Runtime, UndoOptions } from '../runtime.ts'
import type { Sessions } from './sessions.ts'

/** What undo and redo need. */
export interface RevertsDeps {
  readonly sessions: Sessions
  readonly workspace: Workspace
  readonly settings: Settings
  readonly newId: () => string
  readonly tools: ToolFacts
  /** The actor if the options name none. */
  readonly defaultActor: Actor | null
}

/** Opens undo and redo. */
export function openReverts(parts: RevertsDeps): Pick<Runtime, 'undo' | 'redo'> {
  const { sessions, workspace, settings, newId, tools, defaultActor } = parts
  const { registry } = tools
  const maxBytes = settings['tools.edit.max_file_bytes']

  async function revert(
    kind: RevertPlan['kind'],
    options: UndoOptions,
    find: () => string | null,
    plan: (deps: RevertDeps) => Promise<RevertPlan>,
  ): Promise<RevertReport> {
    await sessions.ready()
    const session = options.session ?? find()
    if (session === null) return nowhere(kind, options)
    if (sessions.opened(session) === null && sessions.counts({ name: session }).length === 0)
      return {
        ...nowhere(kind, options),
        session,
        message: `There is no session ${JSON.stringify(session)}.`,
      }
    const log = await (options.dryRun === true ? sessions.openToRead(session) : sessions.open(session))
    const hasWholeDiff = options.wholeDiff ?? false
    const planned = await plan({ log, workspace, tools, digest, maxBytes, hasWholeDiff })
    if (options.dryRun === true) return planned.report
    const { onProgress, actor, shown } = options
    if (shown !== undefined && JSON.stringify(shown) !== JSON.stringify(planned.report))
      return { ...planned.report, ok: false, files: [], message: planned.report.message ?? SHOWN_OTHERWISE }
    return carryOut(planned, { log, workspace, settings, newId, digest, onProgress }, actor ?? defaultActor)
  }

  return {
    undo: (options = {}) =>
      revert(
        'undo',
        options,
        () => findUndoSession(sessions, options, registry),
        (deps) =>
          planUndo(deps, selectReverted(sessions, options), {
            isMerging: options.merge ?? false,
            except: options.except ?? [],
          }),
      ),
    redo: (options = {}) =>
      revert('redo', options, () => findNewest(sessions, (log) => newestUndo(log)?.seq ?? null), planRedo),
  }
}

const SHOWN_OTHERWISE =
  'Nothing was changed: the files have changed since this was shown. Look at it again, and confirm it then.'

/** Nothing to take back, in whichever session of the root. */
function nowhere(kind: RevertPlan['kind'], { calls = [] }: UndoOptions): RevertReport {
  const message =
    calls.length === 0
      ? `There is nothing to ${kind} in this folder.`
      : `Nothing to ${kind}: no call that has ended here is ${calls.map(shellWord).join(', ')}.`
  return { ok: false, session: null, calls: [], files: [], drifted: [], message }
}

/** The session that an undo means: that of the calls it names, else the one with the newest change to take back. */
function findUndoSession(sessions: Sessions, { calls }: UndoOptions, registry: Compensating): string | null {
  const [first] = calls ?? []
  // Where tools take back what they did outside, sessions without an edit count as well.
  const names = hasCompensating(registry) ? sessions.names() : null
  if (first === undefined) return findNewest(sessions, (log) => newestChange(log, registry), names)
  return findEnded(sessions, first)[0]?.session ?? null
}

interface EndedCall {
  readonly execution: string
  readonly session: string
}

/** The calls that have ended and that an id or the beginning of one may mean. */
function findEnded(sessions: Sessions, prefix: string): readonly EndedCall[] {
  const found = sessions.find(prefix).flatMap(({ execution, entries }) => {
    const end = entries.find(({ entry }) => entry.kind === 'settled' && entry.execution === execution)
    return end === undefined ? [] : [{ execution, session: end.session.name }]
  })
  const exact = found.filter(({ execution }) => execution === prefix)
  return exact.length > 0 ? exact : found
}

function newestChange(log: LogReader, registry: Compensating): number | null {
  for (const { seq } of newestOf(undoable(log), findCompensable(log, registry))) return seq
  return null
}

/**
 * The session of these where something happened last; without names, those with edits, and sessions whose newest edit is
 * older than that are not looked at.
 */
function findNewest(
  sessions: Sessions,
  find: (log: LogReader) => number | null,
  names: readonly string[] | null = null,
): string | null {
  let newest: { readonly name: string; readonly order: number } | null = null
  for (const name of names ?? sessions.lastEdits().map((one) => one.name)) {
    const log = sessions.peek(name)
    // By the order of the log: the clock may have been set back in between.
    const orderOf = (seq: number | null): number => (seq === null ? 0 : (sessions.orderOf(name, seq) ?? 0))
    if (names === null && newest !== null && orderOf(lastEdit(log)) < newest.order) break
    const order = orderOf(find(log))
    if (order > (newest?.order ?? 0)) newest = { name, order }
  }
  return newest?.name ?? null
}

function lastEdit(log: Pick<SessionLog, 'edits'>): number | null {
  for (const { seq } of log.edits()) return seq
  return null
}

/** Turns undo options into a selection. What may mean calls of several sessions means none of them. */
function selectReverted(sessions: Sessions, { session, calls, turn, last }: UndoOptions): UndoSelection {
  if (calls === undefined) return turn === true ? { is: 'turn' } : { is: 'last', count: last ?? 1 }
  const executions: string[] = []
  for (const prefix of calls) {
    const found = findEnded(sessions, prefix)
      .filter((call) => session === undefined || call.session === session)
      .map(({ execution }) => execution)
    if (found.length > 1)
      return { is: 'none', why: `Nothing was undone: ${prefix} could be ${found.join(', ')}.` }
    // One that is not known is reported when no changes are found for it.
    executions.push(found[0] ?? prefix)
  }
  return { is: 'calls', executions }
}
