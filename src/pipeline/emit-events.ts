import type { Move } from '../core/lifecycle.ts'
import type { ResourceUse } from '../core/resource-use.ts'
import type { ToolResult } from '../core/result.ts'
import type { Run } from './engine.ts'
import type { Received } from './step.ts'

/** Tells a watcher how far a call has come by now. */
export type EmitMoves = (call: Received, moves: readonly Move[]) => void

/** Stands for a watcher where nobody watches, so that nothing is made up for it. */
export const UNWATCHED = (): void => undefined

/** Makes a teller: the call itself comes first, then each of its moves once, in order. */
export function createEmitter(run: Run): EmitMoves {
  if (run.onEvent === UNWATCHED) return UNWATCHED
  const told = new Map<string, number>()
  return ({ execution, id, name, args, problems }, moves) => {
    const before = told.get(execution) ?? 0
    // Arguments that are no JSON would only be a trap for whoever writes them down.
    if (before === 0)
      run.onEvent({ event: 'call', execution, id, name, args: problems.length === 0 ? args : {} })
    for (const { state } of moves.slice(before)) run.onEvent({ event: 'state', execution, id, name, state })
    told.set(execution, Math.max(before, moves.length))
  }
}

/** Tells a watcher what came of a call. */
export function emitResult(result: ToolResult, usage: ResourceUse | undefined, { onEvent }: Run): void {
  if (onEvent === UNWATCHED) return
  onEvent(usage === undefined ? { event: 'result', result } : { event: 'result', result, usage })
}
