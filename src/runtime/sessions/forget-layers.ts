import { join } from 'node:path'
import { folderBytes } from '../../host/fs/folder-bytes.ts'
import { namesIn } from '../../host/fs/private-files.ts'
import { removeFolder } from '../../host/layer/remove-folder.ts'
import type { LayerStatus } from '../../host/layer/sweep-layers.ts'
import type { StoredEntry } from '../../journal/entries/entry.ts'
import { executionsOf } from '../../journal/entries/mentions.ts'
import { sessionId } from '../../journal/chain/chain.ts'
import { openIfFree } from '../../journal/erase/erase-together.ts'
import type { ForgetSelection } from '../../journal/erase/forget.ts'
import type { FoundCall, LogStore } from '../../journal/log.ts'

/** The journal, as far as forgetting layers needs it. */
type Journal = Pick<LogStore, 'findCalls' | 'about' | 'openBatches' | 'unlanded' | 'open' | 'owned'>

/** The layer of a call that has ended: what it landed has moved, what it replaced or what was undone lies here. */
interface EndedLayer {
  readonly folder: string
  readonly call: FoundCall
  /** When the call, or an undo or redo of it, was last recorded. */
  readonly lastAt: number
}

/** Which layers are forgotten, and how long to wait for sessions that other processes own. */
export interface ForgottenLayers {
  readonly selection: ForgetSelection
  /** The calls that are forgotten, if they are selected one by one. */
  readonly executions: readonly string[]
  readonly waitMs: number
}

/** Erases the layers of forgotten calls with the contents in them; returns how many. One that waits or has to land stays. */
export async function forgetLayers(
  journal: Journal,
  places: readonly string[],
  { selection, executions, waitMs }: ForgottenLayers,
): Promise<number> {
  const isForgotten = ({ call: { session, execution }, lastAt }: EndedLayer): boolean => {
    if (selection.is === 'call') return executions.includes(execution)
    if (selection.is === 'before')
      return lastAt < selection.time && (selection.root === undefined || session.root === selection.root)
    return session.root === selection.session.root && session.name === selection.session.name
  }
  return removeLayers(journal, endedLayers(journal, places).filter(isForgotten), waitMs)
}

/**
 * Removes layers whose calls have ended; returns how many. An undo or redo in another process moves contents from and to
 * them, so the session is owned meanwhile, and each layer is looked at once more; those of busy sessions stay.
 */
async function removeLayers(
  journal: Journal,
  layers: readonly EndedLayer[],
  waitMs: number,
): Promise<number> {
  let removed = 0
  for (const own of Map.groupBy(layers, ({ call }) => sessionId(call.session)).values()) {
    const session = own[0]?.call.session
    if (session === undefined) continue
    const isOwned = journal.owned(session) !== null
    const log = isOwned ? null : await openIfFree(journal, session, waitMs)
    if (!isOwned && log === null) continue
    try {
      for (const { folder, call } of own) {
        if (endedLayer(journal, { folder, name: call.execution }, readInUse(journal)) === null) continue
        await removeFolder(folder)
        removed++
      }
    } finally {
      log?.close()
    }
  }
  return removed
}

/**
 * Whether the layer of a call may hold what it, an answer or an undo needs: one that has ended needs it only if it
 * changed something, or could not land for a reason that is not its own. A call that was only begun when its process died leaves
 * nothing.
 */
export function layerStatus(journal: Pick<LogStore, 'findCalls' | 'about'>, execution: string): LayerStatus {
  const calls = journal.findCalls(execution).filter((call) => call.execution === execution)
  if (calls.length === 0) return 'unknown'
  const isKept = calls.some((call) => {
    const entries = journal.about(call).map(({ entry }) => entry)
    const settled = entries.find((entry) => entry.kind === 'settled')
    if (settled === undefined) return entries.some(({ kind }) => kind === 'landing')
    const { changes, error, keptLayer } = settled
    // Earlier versions kept only what was stale, and did not note it.
    return changes.length > 0 || keptLayer === true || error?.code === 'stale_file'
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
  await removeLayers(journal, old, 0)
  if (maxBytes === 0) return
  const sized = layers.slice(old.length).map((layer) => ({ layer, bytes: folderBytes(layer.folder) }))
  let bytes = sized.reduce((sum, one) => sum + one.bytes, 0)
  if (bytes <= maxBytes) return
  for (const one of sized) {
    if (bytes <= maxBytes * (1 - ROOM_SHARE)) return
    if ((await removeLayers(journal, [one.layer], 0)) > 0) bytes -= one.bytes
  }
}

/** The entries that show that a layer is of use; having been forgotten does not. */
const IN_USE: ReadonlySet<string> = new Set(['batch', 'settled', 'undo', 'redo'])

/** What is not over yet. */
interface InUse {
  readonly batches: ReadonlySet<string>
  readonly unlanded: ReadonlySet<string>
}

function readInUse(journal: Journal): InUse {
  return {
    batches: new Set(journal.openBatches().map(({ batch }) => batch)),
    unlanded: new Set(journal.unlanded().map(({ execution }) => execution)),
  }
}

function endedLayers(journal: Journal, places: readonly string[]): readonly EndedLayer[] {
  const named = places.flatMap((place) => namesIn(place).map((name) => ({ folder: join(place, name), name })))
  if (named.length === 0) return []
  const inUse = readInUse(journal)
  return named.flatMap((one) => endedLayer(journal, one, inUse) ?? [])
}

/** The layer in a folder, by the execution that the folder is named after; null if it may still be of use to its call. */
function endedLayer(
  journal: Journal,
  { folder, name }: { readonly folder: string; readonly name: string },
  { batches, unlanded }: InUse,
): EndedLayer | null {
  const isInUse = ({ entry }: StoredEntry): boolean =>
    (entry.kind === 'batch' && batches.has(entry.batch)) ||
    executionsOf(entry)
      .slice(0, 1)
      .some((execution) => unlanded.has(execution))
  // A folder that no call is known for may belong to one that runs in another process.
  const call = journal.findCalls(name).find(({ execution }) => execution === name)
  const entries = call === undefined ? [] : journal.about(call)
  const lastAt = entries.findLast(({ entry }) => IN_USE.has(entry.kind))?.at
  return call === undefined || lastAt === undefined || entries.some(isInUse) ? null : { folder, call, lastAt }
}
