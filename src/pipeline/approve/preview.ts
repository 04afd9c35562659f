import type { ToolError } from '../../core/error.ts'
import type { Tool } from '../../core/tool.ts'
import type { GrowingPreview } from '../../workspace/workspace.ts'
import { errorFrom } from '../tool-crash.ts'
import { runTool } from '../execute/run-call.ts'
import { previewCommand } from './preview-command.ts'
import type { Engine, Run } from '../engine.ts'
import { judgeContent } from '../execute/judge-content.ts'
import type { Step } from '../plan/plan.ts'
import { readStored } from '../memory/stored-values.ts'
import type { Received } from '../parse/receive.ts'

/** What a call would change, or why it cannot be shown. */
export type Preview =
  | { readonly is: 'shown'; readonly diff: string; readonly notes: readonly string[] }
  /** The call has nothing to show, or what it would change hangs on calls before it. */
  | { readonly is: 'unknown'; readonly notes?: readonly string[] }
  | { readonly is: 'failed'; readonly error: ToolError }

/** Rehearses the editing calls of a batch in order, each on top of what the earlier ones would leave behind. */
export async function previewAll(
  steps: readonly Step[],
  engine: Engine,
  run: Run,
): Promise<ReadonlyMap<string, Preview>> {
  const contents = new Map<string, Uint8Array | null>()
  const reads = new Set<string>()
  const previews = new Map<string, Preview>()
  /** Whether an earlier call may leave behind or have read what nobody can foresee. */
  let isOpen = false
  for (const step of steps) {
    const { tool, facts } = step
    if (step.judgement.verdict === 'settle' || tool === null) continue
    const paths = facts.claims.flatMap(({ absolute }) => (absolute === null ? [] : [absolute]))
    if (facts.tool?.effect === 'edit') {
      const isOnTop =
        isOpen || paths.some((path) => contents.has(path)) || (paths.length === 0 && contents.size > 0)
      previews.set(
        step.call.execution,
        await stagePreview(tool, step.call, { contents, reads }, isOnTop, engine, run),
      )
    } else if (facts.tool?.effect === 'read' && paths.length > 0) {
      for (const path of paths) reads.add(path)
    } else {
      if (facts.tool?.effect === 'spawn' && step.judgement.verdict === 'ask')
        previews.set(
          step.call.execution,
          await previewCommand(step, isOpen || contents.size > 0, engine, run),
        )
      isOpen = true
    }
  }
  return previews
}

/** Rehearses one editing call on what is there, without assuming anything. */
export async function previewOne(tool: Tool, call: Received, engine: Engine, run: Run): Promise<Preview> {
  return stagePreview(tool, call, { contents: new Map(), reads: new Set() }, false, engine, run)
}

async function stagePreview(
  tool: Tool,
  call: Received,
  forecast: GrowingPreview,
  isOnTop: boolean,
  engine: Engine,
  run: Run,
): Promise<Preview> {
  const transaction = engine.workspace.begin({
    execution: call.execution,
    session: run.log.key,
    ledger: run.log.ledger,
    readStored: (key) => readStored(run.log, key),
    preview: forecast,
  })
  try {
    const allowance = { maxOutputBytes: engine.settings['tools.output.max_bytes'], capacityBytes: null }
    await runTool(
      tool,
      call,
      allowance,
      transaction,
      { ...run, isDryRun: true, onEvent: () => undefined },
      engine,
    )
    const notes = await judgeContent(transaction, engine)
    const { diff, contents } = transaction.preview()
    for (const [path, bytes] of contents) forecast.contents.set(path, bytes)
    return { is: 'shown', diff, notes }
  } catch (thrown) {
    // An assumption never refuses: if an earlier call of the batch fails, this one may well succeed.
    if (isOnTop) return { is: 'unknown' }
    return { is: 'failed', error: errorFrom(tool.name, thrown) }
  } finally {
    transaction.close()
  }
}
