import type { FileChange } from '../../journal/entries/entry.ts'
import { netChanges } from '../../journal/folds/net-changes.ts'
import type { NetChange } from '../../journal/folds/net-changes.ts'
import type { LogReader } from '../../journal/log.ts'
import { undoable } from './select-calls.ts'

/** A turn with changes that can be undone. */
export interface UndoableTurn {
  readonly turn: string
  /** When its last call ended, in epoch milliseconds. */
  readonly at: number
  /** Its calls with changes, newest first. */
  readonly calls: readonly string[]
  /** The tools of these calls, each once, in the order of their first use. */
  readonly tools: readonly string[]
  /** What the turn did to each file, what commands did included. */
  readonly files: readonly NetChange[]
}

/** The turns of a session with changes that can be undone, newest first. */
export function listUndoableTurns(
  log: Pick<LogReader, 'edits' | 'key'>,
  most: number,
): readonly UndoableTurn[] {
  const turns = new Map<string, { at: number; calls: string[]; tools: string[]; changes: FileChange[][] }>()
  for (const { found, at } of undoable(log)) {
    const known = turns.get(found.turn)
    if (known === undefined && turns.size === most) break
    const turn = known ?? { at, calls: [], tools: [], changes: [] }
    turns.set(found.turn, turn)
    turn.calls.push(found.execution)
    turn.tools.unshift(found.name)
    turn.changes.unshift([...found.changes])
  }
  return [...turns].map(([turn, { at, calls, tools, changes }]) => ({
    turn,
    at,
    calls,
    tools: [...new Set(tools)],
    files: netChanges(changes.flat(), log.key.root),
  }))
}
