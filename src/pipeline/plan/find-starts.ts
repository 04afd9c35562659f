import { previewCall } from '../execute/preview.ts'
import type { Run } from '../engine.ts'
import type { Received } from '../step.ts'
import { findTool, readCall } from './gather-facts.ts'

/**
 * Finds out what calls would start if a grant for their tool depends on it: judging is synchronous and cannot look at the
 * project. Undefined if no call needs it.
 */
export function findStarts(calls: readonly Received[], run: Run): Promise<void> | undefined {
  const { grants } = run.engine
  if (run.isDryRun) return undefined
  const bound = calls.filter((call) => {
    const tool = findTool(call, run)
    return tool?.usual?.bindsStart === true && grants.isGranted(tool.name)
  })
  return bound.length === 0 ? undefined : look(bound, run)
}

async function look(calls: readonly Received[], run: Run): Promise<void> {
  const { grants } = run.engine
  const dryRun: Run = { ...run, isDryRun: true, onEvent: () => undefined }
  for (const call of calls) {
    grants.starts.delete(call)
    const tool = findTool(call, run)
    const reading = readCall(tool, call, run.engine)
    if (tool === null || reading.argumentProblems.length > 0 || reading.argumentError !== null) continue
    const preview = await previewCall({ call, tool, effect: 'spawn', isOnTop: false }, dryRun)
    if (preview.is === 'unknown' && preview.starts !== undefined) grants.starts.set(call, preview.starts)
  }
}
