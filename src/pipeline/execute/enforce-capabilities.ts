import type { Capability } from '../../core/capability.ts'
import { ToolFailure } from '../../core/error.ts'
import type { Edits, Files, SessionStore, Spawn } from '../../core/powers.ts'
import type { Boundary } from '../../policy/capabilities/boundary.ts'

/** The clock, or what stops a tool that did not declare it. */
export function boundClock(now: () => number, boundary: Boundary): () => number {
  return boundary.holds('system.time') ? now : stop(boundary, 'system.time')
}

/** What the tool keeps, as far as it declared that it keeps something. */
export function boundStore(store: SessionStore, boundary: Boundary): SessionStore {
  // Whoever may write may read as well.
  if (boundary.holds('state.write')) return store
  const write = stop(boundary, 'state.write')
  if (boundary.holds('state.read')) return { read: store.read, write }
  return { read: stop(boundary, 'state.read'), write }
}

/** Files that cannot be read. */
export function closedFiles(boundary: Boundary): Files {
  const read = stop(boundary, 'filesystem.read')
  return {
    open: read,
    stat: read,
    walk: read,
    startWalk: read,
    follow: read,
    peek: read,
    // Whoever searches waits for a promise.
    search: async () => read(),
  }
}

/** Edits as far as they were declared; deleting includes writing, and writing includes reading. */
export function boundEdits(edits: Edits, boundary: Boundary): Edits {
  if (boundary.holds('filesystem.delete')) return edits
  const remove = stop(boundary, 'filesystem.delete')
  if (boundary.holds('filesystem.write')) return { ...edits, remove, removeFolder: remove }
  if (!boundary.holds('filesystem.read')) return closedEdits(boundary)
  return { ...edits, write: stop(boundary, 'filesystem.write'), remove, removeFolder: remove }
}

/** Edits that cannot be made. */
export function closedEdits(boundary: Boundary): Edits {
  const write = stop(boundary, 'filesystem.write')
  const remove = stop(boundary, 'filesystem.delete')
  return {
    stat: write,
    read: write,
    requireFresh: write,
    write,
    remove,
    drop: write,
    removeFolder: remove,
    backupPath: write,
    diff: write,
  }
}

/** Processes that cannot be started. */
export function closedSpawn(boundary: Boundary): Spawn {
  const start = stop(boundary, 'process.spawn')
  return { run: async () => start() }
}

function stop(boundary: Boundary, capability: Capability): () => never {
  return () => {
    const error = boundary.check(capability)
    throw error === null ? new Error(`${capability} was closed by mistake`) : new ToolFailure(error)
  }
}
