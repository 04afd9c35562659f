import type { ToolError } from '../../core/error.ts'
import type { Tool } from '../../core/tool.ts'
import type { Rehearsal } from '../../workspace/staging/forecast.ts'
import { errorFrom } from '../tool-crash.ts'
import { runTool } from '../execute/run-call.ts'
import { foretell } from './preview-command.ts'
import type { House, Run } from '../engine.ts'
import { judgeContent } from '../execute/judge-content.ts'
import type { Step } from '../plan/plan.ts'
import { recall } from '../memory/stored-values.ts'
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
  house: House,
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
        await rehearse(tool, step.call, { contents, reads }, isOnTop, house, run),
      )
    } else if (facts.tool?.effect === 'read' && paths.length > 0) {
      for (const path of paths) reads.add(path)
    } else {
      if (facts.tool?.effect === 'spawn' && step.judgement.verdict === 'ask')
        previews.set(step.call.execution, await foretell(step, isOpen || contents.size > 0, house, run))
      isOpen = true
    }
  }
  return previews
}

/** Rehearses one editing call on what is there, without assuming anything. */
export async function previewOne(tool: Tool, call: Received, house: House, run: Run): Promise<Preview> {
  return rehearse(tool, call, { contents: new Map(), reads: new Set() }, false, house, run)
}

async function rehearse(
  tool: Tool,
  call: Received,
  forecast: Rehearsal,
  isOnTop: boolean,
  house: House,
  run: Run,
): Promise<Preview> {
  const transaction = house.workspace.begin({
    execution: call.execution,
    session: run.log.key,
    ledger: run.log.ledger,
    recall: (key) => recall(run.log, key),
    forecast,
  })
  try {
    const allowance = { maxOutputBytes: house.settings['tools.output.max_bytes'], capacityBytes: null }
    await runTool(
      tool,
      call,
      allowance,
      transaction,
      { ...run, isDryRun: true, onEvent: () => undefined },
      house,
    )
    const notes = await judgeContent(transaction, house)
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
