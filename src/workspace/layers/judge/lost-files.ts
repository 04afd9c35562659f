import { failure } from '../../../core/error.ts'
import type { LayerChange } from '../../../host/layer/layer-change.ts'
import { showPath } from '../../../host/root/rel-path.ts'
import type { Digest } from '../../../journal/entries/entry.ts'
import { runWithPauses } from '../../../host/system/steps.ts'
import type { HashedChange } from '../file-changes.ts'
import type { LeftOutChange } from './judge-changes.ts'
import { digestOf } from '../layer-files.ts'
import type { OpenPart, Pause } from '../layer-files.ts'

/** What does not land, and what does. */
export interface LostOptions {
  readonly withheld: readonly LayerChange[]
  readonly leftOut: readonly LeftOutChange[]
  readonly landing: readonly HashedChange[]
  /** Files that stay as they are. */
  readonly touched: readonly LayerChange[]
  /** Files of the upper layer that were copied or moved from below. */
  readonly marked: ReadonlySet<string>
  readonly displayOf: (path: string) => string
  readonly pause: Pause
}

/** Throws if a file of the workspace was moved to where it does not land: its content would be gone. */
export async function refuseLost(part: OpenPart, options: LostOptions): Promise<void> {
  const { withheld, landing, touched, marked, pause } = options
  const files = withheld.filter(({ after }) => after?.kind === 'file' && after.size > 0)
  if (files.length === 0) return
  // Another name of the same file.
  const kept = new Set([...landing, ...touched].map(({ after }) => after?.ino))
  const gone = findGone(landing)
  for (const { path, after } of files) {
    if (after === null) continue
    const isMoved = after.source.layer === 'lower' || (marked.has(path) && !kept.has(after.ino))
    if (!isMoved && !gone.sizes.has(after.size)) continue
    const from = gone.paths.get(await runWithPauses(digestOf(part, after.source, after.kind), pause))
    if (isMoved || from !== undefined) throw lost(path, from ?? null, options)
  }
}

/** The contents that are nowhere any more once the changes have landed. */
function findGone(landing: readonly HashedChange[]): {
  readonly sizes: ReadonlySet<number>
  readonly paths: ReadonlyMap<Digest, string>
} {
  const there = new Set(landing.map(({ afterDigest }) => afterDigest))
  const sizes = new Set<number>()
  const paths = new Map<Digest, string>()
  for (const { path, before, beforeDigest } of landing) {
    if (before?.kind !== 'file' || beforeDigest === null || there.has(beforeDigest)) continue
    sizes.add(before.size)
    paths.set(beforeDigest, path)
  }
  return { sizes, paths }
}

function lost(path: string, from: string | null, { leftOut, displayOf }: LostOptions): Error {
  const top = leftOut.find(({ change }) => path === change.path || path.startsWith(`${change.path}/`))
  const what = from === null ? 'A file' : showPath(displayOf(from))
  const attempted = displayOf(path).toWellFormed()
  return failure(
    'denied_pattern',
    `Nothing was landed: ${what} was moved to ${showPath(attempted)}, which does not land because ${top?.why ?? 'it is denied'}, so its content would be lost.`,
    { reason: 'DeniedPatternMatched', attempted },
    ['Run the command such that it moves the file elsewhere, or ask the user to move it.'],
  )
}
