import type { ToolError } from '../../core/error.ts'
import { isJsonObject } from '../../core/json/value.ts'
import type { JsonValue } from '../../core/json/value.ts'
import { elideMiddle } from '../../core/text/truncate.ts'
import { errorFrom } from '../tool-crash.ts'
import { runTool } from '../execute/run-call.ts'
import type { Run } from '../engine.ts'
import type { Step } from '../step.ts'

/** What a call would start, if that can be told, or why it cannot start. */
export type CommandPreview =
  | { readonly is: 'unknown'; readonly notes?: readonly string[] }
  | { readonly is: 'failed'; readonly error: ToolError }

const SHOWN_CHARS = 400
const WORD_CHARS = 60

/**
 * Finds out what a call would start whose arguments do not say it, so that whoever is asked knows. Nothing is started:
 * in a dry run there is nothing to start it with.
 */
export async function previewCommand(step: Step, isOnTop: boolean, run: Run): Promise<CommandPreview> {
  const { engine } = run
  const { tool, call } = step
  if (tool === null || tool.command(call.args) !== null) return { is: 'unknown' }
  const transaction = engine.workspace.begin({
    execution: call.execution,
    session: run.log.key,
    ledger: run.log.ledger,
  })
  const rehearsal: Run = { ...run, isDryRun: true, onEvent: () => undefined }
  const allowance = { maxOutputBytes: engine.settings['tools.output.max_bytes'], capacityBytes: null }
  try {
    return readWouldRun(await runTool(tool, call, allowance, transaction, rehearsal))
  } catch (thrown) {
    const error = errorFrom(tool.name, thrown)
    if (error.details['dry_run'] === true) return readWouldRun(error.details)
    // An assumption never refuses: an earlier call of the batch may bring what is missing now.
    return isOnTop ? { is: 'unknown' } : { is: 'failed', error }
  } finally {
    transaction.close()
  }
}

function readWouldRun(said: JsonValue): CommandPreview {
  const words = isJsonObject(said) ? said['would_run'] : null
  if (!Array.isArray(words)) return { is: 'unknown' }
  const shown = words.map((word) => elideMiddle(String(word), WORD_CHARS))
  return { is: 'unknown', notes: [`It would run: ${elideMiddle(shown.join(' '), SHOWN_CHARS)}`] }
}
