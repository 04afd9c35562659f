import { toolError } from '../../core/error.ts'
import type { ToolError } from '../../core/error.ts'
import type { JsonObject } from '../../core/json/value.ts'
import { declare, start } from '../../core/lifecycle.ts'
import type { Tool } from '../../core/tool.ts'
import { showPath } from '../../core/text/display/show-path.ts'
import { truncateText } from '../../core/text/truncate.ts'
import { unpackAttributes } from '../waiting-landing.ts'
import type { LandingRest, WaitingLanding } from '../waiting-landing.ts'
import type { Agreement } from '../approve/agreement.ts'
import { NOT_ASKED, NOTHING_TAKEN } from '../approve/denials.ts'
import type { Batch } from '../batch.ts'
import type { Run } from '../engine.ts'
import type { FileChange } from '../../journal/entries/entry.ts'
import type { HeldMarks } from '../../workspace/landing/contents/held-marks.ts'
import type { StagedLayer, Workspace } from '../../workspace/workspace.ts'
import type { Step } from '../step.ts'
import type { Ending, Finish } from './ending.ts'
import { withPart } from './take-layer.ts'

/** A landing that waited, and what was approved of it; null if nothing was. */
interface AnsweredLanding {
  readonly waiting: WaitingLanding
  readonly agreement: Agreement | null
  readonly maxBytes: number
}

/** What an answer chose; null stands for everything. */
interface ChosenHunks {
  readonly chosen: readonly number[] | null
  /** The size that the result may have. */
  readonly maxBytes: number
}

/** Ends a call whose changes waited for an answer: they are ready for the commit, or their layer is dropped. */
export async function finishLanding(
  batch: Batch,
  step: Step,
  { waiting, agreement, maxBytes }: AnsweredLanding,
  run: Run,
): Promise<Ending> {
  const { engine } = run
  const { entry } = waiting
  // A record that another program changed could name any folder as its layer, so nothing of it is used.
  const isGenuine = run.log.vouchesFor(waiting.seq)
  const rest = isGenuine ? waiting.rest : null
  const { call } = step
  const trace = start(declare(batch.declaredAt), rest?.startedAt ?? engine.clock.now())
  batch.emit(call, trace.moves)
  const { changes, startedMs } = entry
  const fault = !isGenuine
    ? CHANGED
    : agreement !== null && rest !== null
      ? await findAlteredLayer(entry.changes, rest.marks, run)
      : refusalOf(step, waiting)
  const taken =
    fault !== null || rest === null
      ? null
      : takeOf(
          {
            changes,
            startedMs,
            ...(rest.folders === undefined ? {} : { folders: rest.folders }),
            parts: rest.layer.parts,
            payloads: unpackAttributes(rest),
            notes: rest.notes,
          },
          { ...rest, chosen: agreement?.hunks ?? null, maxBytes },
          run,
        )
  if (taken === null || rest === null) {
    const error = fault ?? withRest(NOTHING_TAKEN, step, waiting)
    const end: Finish = { ok: false, error, seen: [], phase: 'layer' }
    const dropped = rest === null ? {} : { dropped: rest.layer }
    return { step, trace, durationMs: entry.durationMs, end, ...dropped }
  }
  const { ledger, key: session } = run.log
  const transaction = engine.workspace.begin({ execution: call.execution, session, ledger })
  try {
    const { staged, output } = taken
    transaction.stageLayer(staged)
    const end: Finish = {
      ok: true,
      output,
      seen: [],
      prepared: transaction.prepare(),
      stored: new Map(),
    }
    const hidden = rest.hidden.length === 0 ? {} : { hidden: rest.hidden }
    return { step, trace, durationMs: entry.durationMs, end, layer: rest.layer, ...hidden }
  } finally {
    transaction.close()
  }
}

/** Keeps of staged changes what an answer chose, and says in the result what was left out; null if nothing is taken. */
export function takeOf(
  staged: StagedLayer,
  { output, hunks, chosen, maxBytes }: Pick<LandingRest, 'output' | 'hunks'> & ChosenHunks,
  { engine }: Run,
): { readonly staged: StagedLayer; readonly output: JsonObject } | null {
  if (chosen === null) return { staged, output }
  // Landings of earlier versions have no hunks on record.
  if (hunks === null || hunks === undefined) return null
  const part = engine.workspace.takeLayerHunks({ changes: staged.changes, hunks, chosen })
  if (part.leftOut.length === 0) return { staged, output }
  if (part.changes.length === 0) return null
  const { changes, stale } = part
  const payloads = new Map([...(staged.payloads ?? []), ...part.payloads])
  const notes = [...staged.notes, ...part.notes]
  return { staged: { ...staged, changes, payloads, stale, notes }, output: withPart(output, part, maxBytes) }
}

const CHANGED = toolError(
  'execution_failed',
  'The record of what was to land does not verify, so nothing landed.',
  { effects: 'discarded', discarded: true },
  ['Run `tongs audit verify`, and request the call again.'],
)

/**
 * Why changes cannot land although they were approved: a layer lies in a folder, so another program can change what was
 * asked about until the answer comes. Landings of earlier versions have no marks on record.
 */
export async function findAlteredLayer(
  changes: readonly FileChange[],
  marks: HeldMarks | undefined,
  { engine: { workspace } }: Pick<Run, 'engine'>,
): Promise<ToolError | null> {
  const altered = await workspace.findAltered(changes, 'mode too', marks)
  if (altered === null) return null
  const path = showPath(altered.path.toWellFormed())
  return toolError(
    'execution_failed',
    `What was to land for ${path} is no longer on its layer as it was approved, so nothing landed.`,
    { path, effects: 'discarded', discarded: true },
    ['Request the call again.'],
  )
}

/** Why changes could not be put in place, as far as that can be found while nothing has changed. */
export async function findLandingObstacle(
  changes: readonly FileChange[],
  { findObstacle }: Pick<Workspace, 'findObstacle'>,
): Promise<ToolError | null> {
  const obstacle = await findObstacle(changes)
  // What may have changed meanwhile is told apart by the commit, which then keeps the layer.
  if (obstacle === null || obstacle.is !== undefined) return null
  const path = showPath(obstacle.path)
  return toolError(
    'execution_failed',
    `Nothing was landed: ${path} cannot be changed, because ${obstacle.why}.`,
    { path, reason: 'obstacle' },
    [
      'Remove the obstacle, then request the call again. What the command changed is kept on its layer until it is forgotten.',
    ],
  )
}

function refusalOf(step: Step, waiting: WaitingLanding): ToolError {
  return withRest(step.judgement.error ?? NOT_ASKED, step, waiting)
}

function withRest(error: ToolError, { tool }: Step, { rest }: WaitingLanding): ToolError {
  return rest === null || tool === null ? error : withDiscarded(error, tool, rest.output)
}

/** How much of a command's output a refusal of its landing repeats. */
const SHOWN_BYTES = 8_192

/** A refusal to let changes land. What the command printed still reaches the model. */
export function withDiscarded(error: ToolError, tool: Tool, output: JsonObject): ToolError {
  const { message, details } = withOutput(error, 'everything it changed was discarded', tool, output)
  return { ...error, message, details: { ...details, discarded: true, effects: 'discarded' } }
}

/** The error of a landing that the command is not to blame for, with what the command printed. */
export function withOutput(error: ToolError, what: string, tool: Tool, output: JsonObject): ToolError {
  const { changes: _changes, changes_total: _total, ...rest } = output
  const said = truncateText(tool.present.text(rest), SHOWN_BYTES).text
  return {
    ...error,
    message: `${error.message}${/[.!?]$/.test(error.message) ? '' : '.'} The command ran, and ${what}. Its result was:\n${said}`,
    details: { ...error.details, output: rest },
  }
}
