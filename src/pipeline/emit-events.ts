import type { Move } from '../core/lifecycle.ts'
import type { ResourceUse } from '../core/resource-use.ts'
import type { ToolResult } from '../core/result.ts'
import type { Run } from './engine.ts'
import type { Received } from './step.ts'

/** Emits the moves of a call that were not emitted before. */
export type EmitMoves = (call: Received, moves: readonly Move[]) => void

/** The watcher of a run that has none; events are not even built for it. */
export const UNWATCHED = (): void => undefined

/** Creates an emitter: the call itself comes first, then each of its moves once, in order. */
export function createEmitter(run: Run): EmitMoves {
  if (run.onEvent === UNWATCHED) return UNWATCHED
  const emitted = new Map<string, number>()
  return ({ execution, id, name, args, problems }, moves) => {
    const before = emitted.get(execution) ?? 0
    // A watcher that serializes the event could fail on arguments that are not valid JSON.
    if (before === 0)
      run.onEvent({ event: 'call', execution, id, name, args: problems.length === 0 ? args : {} })
    for (const { state } of moves.slice(before)) run.onEvent({ event: 'state', execution, id, name, state })
    emitted.set(execution, Math.max(before, moves.length))
  }
}

/** Emits the result of a call. */
export function emitResult(result: ToolResult, usage: ResourceUse | undefined, { onEvent }: Run): void {
  if (onEvent === UNWATCHED) return
  onEvent(usage === undefined ? { event: 'result', result } : { event: 'result', result, usage })
}
