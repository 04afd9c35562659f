import { join } from 'node:path'
import { ToolFailure } from '../../core/error.ts'
import type { ToolError } from '../../core/error.ts'
import type { Soon } from '../../core/wait.ts'
import { showPath } from '../../core/text/display/show-path.ts'
import type { FileChange } from '../../journal/entries/entry.ts'
import { mayBeRecorded } from '../../journal/explain-fault.ts'
import type { Append } from '../../journal/log.ts'
import { landsOnLocked, lockedIn } from '../../workspace/buffers/locked.ts'
import type { Workspace } from '../../workspace/workspace.ts'
import type { Run } from '../engine.ts'
import { NO_LONGER_GRANTED } from '../approve/denials.ts'
import { findLandingObstacle, withOutput } from '../execute/finish-landing.ts'
import { requireUnchanged } from '../memory/stored-values.ts'
import { recordRefused } from '../record/record.ts'
import type { Answer } from '../record/record.ts'
import type { Batch } from '../batch.ts'

/** Why calls are refused at the last moment, by execution. */
type Refusals = ReadonlyMap<string, ToolError>

const NONE_REFUSED: Refusals = new Map()

/**
 * Writes the answers in one transaction, after a last look at the files. What the workspace refuses then is written as
 * refused, together with what was staged on its files; the others are written as they are. Returns what was written.
 */
export function write(batch: Batch, answers: readonly Answer[], run: Run): Soon<readonly Answer[]> {
  if (answers.some(changesSomething)) return writeChanges(batch, answers, run)
  dropUnchanging(answers, run)
  const appending = append(answers, run)
  return appending === undefined ? answers : appending.then(() => answers)
}

/** Nothing that calls without changes have staged is kept. */
function dropUnchanging(answers: readonly Answer[], { engine: { workspace } }: Run): void {
  for (const { call, entry } of answers) if (entry.changes.length === 0) workspace.drop(call.execution)
}

function changesSomething({ entry }: Answer): boolean {
  return entry.changes.length > 0 || entry.stored !== undefined
}

async function writeChanges(batch: Batch, answers: readonly Answer[], run: Run): Promise<readonly Answer[]> {
  let final = answers
  const backedUp = new Set<string>()
  for (;;) {
    const refused = await tryToWrite(final, backedUp, run)
    if (refused.size === 0) return final
    final = final.map((answer) => {
      const error = refused.get(answer.call.execution)
      return error === undefined ? answer : recordRefused(answer, error, batch, run)
    })
  }
}

/** Writes the answers; if some are refused, nothing is written. */
async function tryToWrite(answers: readonly Answer[], backedUp: Set<string>, run: Run): Promise<Refusals> {
  const { workspace } = run.engine
  const changing = answers.filter(changesSomething)
  dropUnchanging(answers, run)
  if (changing.length === 0) {
    const appending = append(answers, run)
    if (appending !== undefined) await appending
    return NONE_REFUSED
  }
  if (workspace.buffers !== null) {
    const changed = changing.flatMap(({ entry }) => entry.changes)
    await workspace.buffers.refresh(changed.map(({ root, path }) => join(root, path)))
  }
  try {
    const unkept = await keepContents(changing, backedUp, run)
    if (unkept.size > 0) return dropAll(unkept, run)
    await append(answers, run, (others) => confirmAll(changing, others, run))
    return NONE_REFUSED
  } catch (thrown) {
    if (thrown instanceof Refused) return dropAll(thrown.refusals, run)
    // If it may be in the journal, the next command puts it in place, and its answer names the backup.
    if (!mayBeRecorded(thrown)) for (const { call } of changing) workspace.drop(call.execution)
    throw thrown
  }
}

class Refused extends Error {
  readonly refusals: Refusals

  constructor(refusals: Refusals) {
    super('the workspace refused changes')
    this.refusals = refusals
  }
}

function dropAll(refused: Refusals, { engine }: Run): Refusals {
  for (const execution of refused.keys()) engine.workspace.drop(execution)
  return refused
}

/** Writes the backups that results name, and makes sure that contents outlive their record. */
async function keepContents(
  answers: readonly Answer[],
  backedUp: Set<string>,
  { engine: { workspace } }: Run,
): Promise<Refusals> {
  const refused = new Map<string, ToolError>()
  for (const answer of answers) {
    const { execution, changes } = answer.entry
    if (backedUp.has(execution)) continue
    try {
      const obstacle = changes.some(isLayered) ? await findLandingObstacle(changes, workspace) : null
      if (obstacle !== null) {
        refused.set(execution, nameLayer(withPrinted(obstacle, answer), answer))
        continue
      }
      workspace.writeBackups(execution)
      // A record of contents that a power cut could take must not outlive them.
      if (changes.some(({ after }) => after?.held !== undefined)) await workspace.syncHeld(changes)
      backedUp.add(execution)
    } catch (thrown) {
      refused.set(execution, refusalOf(thrown, answer))
    }
  }
  return refused
}

/** Confirms all calls, or none: in order, because a call may be staged on an earlier one. */
function confirmAll(answers: readonly Answer[], others: readonly FileChange[], run: Run): void {
  const { workspace } = run.engine
  const executions = answers.map(({ entry }) => entry.execution)
  const refused = new Map<string, ToolError>()
  // The journal may ask again in another transaction.
  workspace.retract(executions)
  for (const answer of answers) {
    try {
      confirm(answer, others, run)
    } catch (thrown) {
      refused.set(answer.entry.execution, refusalOf(thrown, answer))
    }
  }
  if (refused.size === 0) return
  workspace.retract(executions)
  throw new Refused(refused)
}

function refusalOf(thrown: unknown, answer: Answer): ToolError {
  if (!(thrown instanceof ToolFailure)) throw thrown
  return nameLayer(thrown.error, answer)
}

/** The last look at what a call builds on. */
function confirm(answer: Answer, others: readonly FileChange[], run: Run): void {
  const { source, entry } = answer
  const { end, grant } = source.ending
  if (grant !== undefined && !run.engine.grants.stands(grant))
    throw new ToolFailure(
      entry.changes.some(isLayered) ? withPrinted(NO_LONGER_GRANTED, answer) : NO_LONGER_GRANTED,
    )
  if (end.ok && end.restsOn !== undefined) requireUnchanged(end.restsOn, run.log)
  if (entry.changes.length === 0) return
  requireUnlocked(entry.changes, run.engine.workspace)
  run.engine.workspace.confirm(entry.execution, others)
}

/** What a command changed is not known before it has run, so the editor could not be asked about it earlier. */
function requireUnlocked(changes: readonly FileChange[], { buffers }: Workspace): void {
  for (const change of changes) {
    const why = buffers?.lockOf(join(change.root, change.path)) ?? null
    if (why === null) continue
    const path = showPath(change.path)
    throw isLayered(change) ? landsOnLocked(path, why) : lockedIn(path, why)
  }
}

const isLayered = ({ before, after }: FileChange): boolean => (before ?? after)?.held !== undefined

/** Names the layer that is kept although nothing of it could land, whatever the reason, so that nothing is lost. */
function nameLayer(error: ToolError, { entry: { execution, changes } }: Answer): ToolError {
  if (!changes.some(isLayered)) return error
  return { ...error, details: { ...error.details, layer: execution } }
}

function withPrinted(error: ToolError, { source: { ending } }: Answer): ToolError {
  const { step, end } = ending
  if (!end.ok || step.tool === null) return error
  return withOutput(error, 'what it changed is kept on its layer', step.tool, end.output)
}

/** The commit point: results, contents and ledger are written together, or not at all. */
function append(
  answers: readonly Answer[],
  run: Run,
  confirming?: Append['confirm'],
): Promise<void> | undefined {
  const [only] = answers
  const what: Append =
    only !== undefined && answers.length === 1
      ? { entries: [only.entry], payloads: only.payloads, seen: only.seen, reliance: 'durable' }
      : {
          entries: answers.map(({ entry }) => entry),
          payloads: answers.flatMap(({ payloads }) => payloads),
          seen: answers.flatMap(({ seen }) => seen),
          reliance: 'durable',
        }
  return run.log.appendTogether(confirming === undefined ? what : { ...what, confirm: confirming })
}
