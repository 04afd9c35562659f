import { toolError } from '../../core/error.ts'
import type { ToolError } from '../../core/error.ts'
import type { JsonObject } from '../../core/json/value.ts'
import { declare, start } from '../../core/lifecycle.ts'
import type { Tool } from '../../core/tool.ts'
import { truncateText } from '../../core/text/truncate.ts'
import type { WaitingLanding } from '../waiting-landing.ts'
import { NOT_ASKED } from '../approve/denials.ts'
import type { Batch } from '../batch.ts'
import type { Run } from '../engine.ts'
import type { Step } from '../step.ts'
import type { Ending, Finish } from './ending.ts'

/** Ends a call whose changes waited for an answer: they are ready for the commit, or their layer is dropped. */
export async function finishLanding(
  batch: Batch,
  step: Step,
  { waiting, isAgreed }: { readonly waiting: WaitingLanding; readonly isAgreed: boolean },
  run: Run,
): Promise<Ending> {
  const { engine } = run
  const { entry, rest } = waiting
  const { call } = step
  const trace = start(declare(batch.declaredAt), rest?.startedAt ?? engine.clock.now())
  batch.emit(call, trace.moves)
  const error = isAgreed && rest !== null ? findFault(waiting, run) : refusalOf(step, waiting)
  if (error !== null || rest === null) {
    if (rest !== null) await engine.shell.discardLayer(rest.layer)
    const end: Finish = { ok: false, error: error ?? NOT_ASKED, seen: [], phase: 'layer' }
    return { step, trace, durationMs: entry.durationMs, end }
  }
  const { ledger, key: session } = run.log
  const transaction = engine.workspace.begin({ execution: call.execution, session, ledger })
  try {
    const { changes, startedMs } = entry
    transaction.stageLayer({ changes, startedMs, notes: rest.notes })
    const end: Finish = {
      ok: true,
      output: rest.output,
      seen: [],
      prepared: transaction.prepare(),
      stored: new Map(),
    }
    const hidden = rest.hidden.length === 0 ? {} : { hidden: rest.hidden }
    return { step, trace, durationMs: entry.durationMs, end, ...hidden }
  } finally {
    transaction.close()
  }
}

/** Why approved changes cannot land after all. */
function findFault({ entry }: WaitingLanding, { engine }: Run): ToolError | null {
  const path = engine.workspace.findAltered(entry.changes)?.path
  if (path === undefined) return null
  return toolError(
    'execution_failed',
    `What was to land for ${path} is no longer on its layer as it was approved, so nothing landed.`,
    { path, effects: 'discarded', discarded: true },
    ['Request the call again.'],
  )
}

function refusalOf({ judgement, tool }: Step, { rest }: WaitingLanding): ToolError {
  const error = judgement.error ?? NOT_ASKED
  return rest === null || tool === null ? error : withDiscarded(error, tool, rest.output)
}

/** How much of a command's output a refusal of its landing repeats. */
const SHOWN_BYTES = 8_192

/** A refusal to let changes land. What the command printed still reaches the model. */
export function withDiscarded(error: ToolError, tool: Tool, output: JsonObject): ToolError {
  const { changes: _changes, changes_total: _total, ...rest } = output
  const said = truncateText(tool.present.text(rest), SHOWN_BYTES).text
  return {
    ...error,
    message: `${error.message} The command ran, and everything it changed was discarded. Its result was:\n${said}`,
    details: { ...error.details, discarded: true, effects: 'discarded', output: rest },
  }
}
