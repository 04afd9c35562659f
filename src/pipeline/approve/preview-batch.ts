import type { Run } from '../engine.ts'
import { previewCall } from '../execute/preview.ts'
import type { Preview } from '../execute/preview.ts'
import type { Step } from '../step.ts'

/** Previews the calls of a batch in order, each on top of what the earlier ones would change. */
export async function previewAll(steps: readonly Step[], run: Run): Promise<ReadonlyMap<string, Preview>> {
  const previewed = { contents: new Map<string, Uint8Array | null>(), reads: new Set<string>() }
  const dryRun: Run = { ...run, isDryRun: true, previewed, onEvent: () => undefined }
  const previews = new Map<string, Preview>()
  /** Whether an earlier call may read or change unknown files. */
  let isUnpredictable = false
  for (const step of steps) {
    const { call, tool, facts } = step
    if (step.judgement.verdict === 'settle' || tool === null) continue
    const effect = facts.tool?.effect
    const paths = facts.claims.flatMap(({ absolute }) => (absolute === null ? [] : [absolute]))
    const { contents, reads } = previewed
    if (effect === 'edit') {
      const isOnTop =
        isUnpredictable ||
        paths.some((path) => contents.has(path)) ||
        paths.some((path) => contents.keys().some((changed) => isBelow(changed, path))) ||
        // A search in a folder may show lines of a file, which then count as read.
        paths.some((path) => reads.keys().some((read) => isBelow(path, read))) ||
        (paths.length === 0 && contents.size > 0)
      const preview = await previewCall({ call, tool, effect, isOnTop }, dryRun)
      previews.set(call.execution, preview)
      isUnpredictable ||= preview.is === 'unknown'
      if (preview.is === 'failed') for (const seen of preview.shows.seen) reads.add(seen.path)
    } else if (effect === 'read' && paths.length > 0) {
      for (const path of paths) reads.add(path)
    } else {
      const isOnTop = isUnpredictable || contents.size > 0
      if (effect === 'spawn' && step.judgement.verdict === 'ask')
        previews.set(call.execution, await previewCall({ call, tool, effect, isOnTop }, dryRun))
      isUnpredictable = true
    }
  }
  return previews
}

function isBelow(path: string, folder: string): boolean {
  return path.startsWith(folder.endsWith('/') ? folder : `${folder}/`)
}
