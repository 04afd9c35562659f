import type { ToolError } from '../../core/error.ts'
import { isJsonObject } from '../../core/json/value.ts'
import type { JsonValue } from '../../core/json/value.ts'
import { elideMiddle } from '../../core/text/truncate.ts'
import type { Tool } from '../../core/tool.ts'
import type { Run } from '../engine.ts'
import { readStored } from '../memory/stored-values.ts'
import type { Received } from '../step.ts'
import { errorFrom } from '../tool-crash.ts'
import { judgeContent } from './judge-content.ts'
import { runTool } from './run-tool.ts'

/** What a call would change or start, or why it cannot be shown. */
export type Preview =
  | { readonly is: 'shown'; readonly diff: string; readonly notes?: readonly string[] }
  /** The call has nothing to show, or what it would change depends on the calls before it. */
  | { readonly is: 'unknown'; readonly notes?: readonly string[] }
  | { readonly is: 'failed'; readonly error: ToolError }

/** A call that is previewed. */
export interface PreviewedCall {
  readonly call: Received
  readonly tool: Tool
  readonly effect: 'edit' | 'spawn'
  /** Whether earlier calls of the batch may bring what is missing now. */
  readonly isOnTop: boolean
}

const SHOWN_CHARS = 400
const WORD_CHARS = 60

/**
 * Runs a call as a dry run, shows what it would do, and drops it. An editing call is staged on top of what earlier
 * previews left in `run.previewed`; a call that starts a process gets nothing to start it with.
 */
export async function previewCall(
  { call, tool, effect, isOnTop }: PreviewedCall,
  run: Run,
): Promise<Preview> {
  const { engine, log, previewed } = run
  if (effect === 'spawn' && tool.command(call.args) !== null) return { is: 'unknown' }
  const transaction = engine.workspace.begin({
    execution: call.execution,
    session: log.key,
    ledger: log.ledger,
    readStored: (key) => readStored(log, key),
    ...(previewed === null ? {} : { preview: previewed }),
  })
  const allowance = { maxOutputBytes: engine.settings['tools.output.max_bytes'], capacityBytes: null }
  try {
    const output = await runTool({ tool, call, allowance }, transaction, run)
    if (effect === 'spawn') return readWouldRun(output)
    const notes = await judgeContent(transaction, engine)
    const { diff, contents } = transaction.preview()
    for (const [path, bytes] of contents) previewed?.contents.set(path, bytes)
    return { is: 'shown', diff, notes }
  } catch (thrown) {
    const error = errorFrom(tool.name, thrown)
    if (effect === 'spawn' && error.details['dry_run'] === true) return readWouldRun(error.details)
    // An assumption never refuses: if an earlier call of the batch succeeds, this one may too.
    return isOnTop ? { is: 'unknown' } : { is: 'failed', error }
  } finally {
    transaction.close()
  }
}

function readWouldRun(said: JsonValue): Preview {
  const words = isJsonObject(said) ? said['would_run'] : null
  if (!Array.isArray(words)) return { is: 'unknown' }
  const shown = words.map((word) => elideMiddle(String(word), WORD_CHARS))
  return { is: 'unknown', notes: [`It would run: ${elideMiddle(shown.join(' '), SHOWN_CHARS)}`] }
}
