import { join } from 'node:path'
import { folderBytes } from '../../host/fs/folder-bytes.ts'
import { namesIn } from '../../host/fs/private-files.ts'
import { removeFolder } from '../../host/layer/remove-folder.ts'
import type { LayerStatus } from '../../host/layer/sweep-layers.ts'
import type { StoredEntry } from '../../journal/entries/entry.ts'
import { executionsOf } from '../../journal/entries/mentions.ts'
import type { ForgetSelection } from '../../journal/erase/forget.ts'
import type { FoundCall, LogStore } from '../../journal/log.ts'

/** The journal, as far as forgetting layers needs it. */
type Journal = Pick<LogStore, 'findCalls' | 'about' | 'openBatches' | 'unlanded'>

/** The layer of a call that has ended: what it landed has moved, what it replaced or what was undone lies here. */
interface EndedLayer {
  readonly folder: string
  readonly call: FoundCall
  /** When the call, or an undo or redo of it, was last recorded. */
  readonly lastAt: number
}

/** Erases the layers of forgotten calls with the contents in them; returns how many. One that waits or has to land stays. */
export async function forgetLayers(
  journal: Journal,
  places: readonly string[],
  selection: ForgetSelection,
  executions: readonly string[],
): Promise<number> {
  const isForgotten = ({ call: { session, execution }, lastAt }: EndedLayer): boolean => {
    if (selection.is === 'call') return executions.includes(execution)
    if (selection.is === 'before')
      return lastAt < selection.time && (selection.root === undefined || session.root === selection.root)
    return session.root === selection.session.root && session.name === selection.session.name
  }
  const forgotten = endedLayers(journal, places).filter(isForgotten)
  for (const { folder } of forgotten) await removeFolder(folder)
  return forgotten.length
}

/**
 * Whether the layer of a call may hold what it, an answer or an undo needs: one that has ended needs it only if it
 * changed something, or was refused because somebody else did. A call that was only begun when its process died leaves
 * nothing.
 */
export function layerStatus(journal: Pick<LogStore, 'findCalls' | 'about'>, execution: string): LayerStatus {
  const calls = journal.findCalls(execution).filter((call) => call.execution === execution)
  if (calls.length === 0) return 'unknown'
  const isKept = calls.some((call) => {
    const entries = journal.about(call).map(({ entry }) => entry)
    const settled = entries.find((entry) => entry.kind === 'settled')
    if (settled === undefined) return entries.some(({ kind }) => kind === 'landing')
    return settled.changes.length > 0 || settled.error?.code === 'stale_file'
  })
  return isKept ? 'kept' : 'left'
}

/** Once over the limit, this share is freed as well. */
const ROOM_SHARE = 0.1

/** Erases layers that are too old, and the oldest of those that together are too large; 0 means no limit. */
export async function limitLayers(
  journal: Journal,
  places: readonly string[],
  { maxBytes, before }: { readonly maxBytes: number; readonly before: number },
): Promise<void> {
  const layers = endedLayers(journal, places).toSorted((one, other) => one.lastAt - other.lastAt)
  const old = layers.filter(({ lastAt }) => lastAt < before)
  for (const { folder } of old) await removeFolder(folder)
  if (maxBytes === 0) return
  const sized = layers.slice(old.length).map(({ folder }) => ({ folder, bytes: folderBytes(folder) }))
  let bytes = sized.reduce((sum, layer) => sum + layer.bytes, 0)
  if (bytes <= maxBytes) return
  for (const layer of sized) {
    if (bytes <= maxBytes * (1 - ROOM_SHARE)) return
    await removeFolder(layer.folder)
    bytes -= layer.bytes
  }
}

/** The entries that show that a layer is of use; having been forgotten does not. */
const IN_USE: ReadonlySet<string> = new Set(['batch', 'settled', 'undo', 'redo'])

function endedLayers(journal: Journal, places: readonly string[]): readonly EndedLayer[] {
  const named = places.flatMap((place) => namesIn(place).map((name) => ({ folder: join(place, name), name })))
  if (named.length === 0) return []
  const open = new Set(journal.openBatches().map(({ batch }) => batch))
  const unlanded = new Set(journal.unlanded().map(({ execution }) => execution))
  const isInUse = ({ entry }: StoredEntry): boolean =>
    (entry.kind === 'batch' && open.has(entry.batch)) ||
    executionsOf(entry)
      .slice(0, 1)
      .some((execution) => unlanded.has(execution))
  return named.flatMap(({ folder, name }) => {
    // A folder that no call is known for may belong to one that runs in another process.
    const call = journal.findCalls(name).find(({ execution }) => execution === name)
    const entries = call === undefined ? [] : journal.about(call)
    const lastAt = entries.findLast(({ entry }) => IN_USE.has(entry.kind))?.at
    return call === undefined || lastAt === undefined || entries.some(isInUse)
      ? []
      : [{ folder, call, lastAt }]
  })
}
