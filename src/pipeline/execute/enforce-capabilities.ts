import type { BackgroundPowers } from '../../core/shell/background.ts'
import type { Capability } from '../../core/capability.ts'
import { ToolFailure } from '../../core/error.ts'
import type { Edits, Files, SessionStore, Spawn } from '../../core/powers.ts'
import type { Web } from '../../core/web/web.ts'
import type { Boundary } from '../../policy/capabilities/boundary.ts'

/** The clock; a tool that did not declare it is stopped. */
export function boundClock(now: () => number, boundary: Boundary): () => number {
  return boundary.holds('system.time') ? now : stop(boundary, 'system.time')
}

/** The session store, as far as the tool declared it. */
export function boundStore(store: SessionStore, boundary: Boundary): SessionStore {
  // Writing includes reading.
  if (boundary.holds('state.write')) return store
  const write = stop(boundary, 'state.write')
  if (boundary.holds('state.read')) return { read: store.read, write }
  return { read: stop(boundary, 'state.read'), write }
}

/** Stops a tool that reads files without declaring it. */
export function closedFiles(boundary: Boundary): Files {
  const read = stop(boundary, 'filesystem.read')
  return {
    open: read,
    stat: read,
    walk: read,
    startWalk: read,
    follow: read,
    peek: read,
    peekStart: read,
    // Callers expect a promise.
    search: async () => read(),
    outline: async () => read(),
    expand: async () => read(),
    sawLines: read,
  }
}

/** Edits as far as they were declared; deleting includes writing, and writing includes reading. */
export function boundEdits(edits: Edits, boundary: Boundary): Edits {
  if (boundary.holds('filesystem.delete')) return edits
  const remove = stop(boundary, 'filesystem.delete')
  if (boundary.holds('filesystem.write')) return { ...edits, remove, removeFolder: remove }
  if (!boundary.holds('filesystem.read')) return closedEdits(boundary)
  const write = stop(boundary, 'filesystem.write')
  return { ...edits, write, makeFolder: write, remove, removeFolder: remove }
}

/** Stops a tool that edits files without declaring it. */
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
    makeFolder: write,
    backupPath: write,
    diff: write,
  }
}

/** Stops a tool that starts processes without declaring it. */
export function closedSpawn(boundary: Boundary): Spawn {
  const start = stop(boundary, 'process.spawn')
  return { run: async () => start(), announce: start, mayRunDry: false }
}

/** The same for processes that would go on in the background. */
export function closedBackground(boundary: Boundary): BackgroundPowers {
  const start = stop(boundary, 'process.spawn')
  return { start: async () => start(), read: async () => start() }
}

/** Stops a tool that connects without declaring it. */
export function closedWeb(boundary: Boundary): Web {
  const connect = stop(boundary, 'network.connect')
  return { fetch: async () => connect(), readPage: async () => connect(), store: connect }
}

function stop(boundary: Boundary, capability: Capability): () => never {
  return () => {
    const error = boundary.check(capability)
    throw error === null ? new Error(`${capability} was declared but is blocked`) : new ToolFailure(error)
  }
}
