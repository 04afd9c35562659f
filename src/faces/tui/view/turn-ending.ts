import { isAboutFile, netChanges } from '../../../journal/folds/net-changes.ts'
import type { NetChange } from '../../../journal/folds/net-changes.ts'
import type { CallBlock, View } from './view.ts'

/** What a turn changed, and whether it was undone. */
export interface TurnEnding {
  readonly turn: string
  /** The key of the last block of the turn. */
  readonly after: string
  /** The files that differ from before the turn; empty if all were changed back. */
  readonly files: readonly NetChange[]
  /** Whether nothing but folders came, changed or went. */
  readonly isAboutFolders: boolean
  readonly status: 'stands' | 'undone' | 'partly'
  /** How many calls made these changes. */
  readonly calls: number
  readonly isNewest: boolean
}

/** What each finished turn of a view changed; turns without changes are left out. */
export function findTurnEndings(view: View): readonly TurnEnding[] {
  const turns = new Map<string, { last: string; calls: CallBlock[] }>()
  for (const block of view.blocks) {
    if (block.kind !== 'call' && block.kind !== 'answer') continue
    const turn = turns.get(block.turn) ?? { last: block.key, calls: [] }
    turn.last = block.key
    if (block.kind === 'call' && block.changes.length > 0) turn.calls.push(block)
    turns.set(block.turn, turn)
  }
  const endings = [...turns].flatMap(([turn, { last, calls }]) =>
    calls.length === 0 || turn === view.turn
      ? []
      : [{ turn, after: last, ...outcomeOf(calls), calls: calls.length, isAboutFolders: isFolders(calls) }],
  )
  const newest = endings.findLast(({ status }) => status !== 'undone')
  return endings.map((ending) => ({ ...ending, isNewest: ending === newest }))
}

function outcomeOf(calls: readonly CallBlock[]): Pick<TurnEnding, 'files' | 'status'> {
  const left = calls.filter(({ isUndone }) => !isUndone)
  // A turn that was undone completely still lists its files; after a partial undo only the rest counts.
  if (left.length === 0) return { files: joinChanges(calls), status: 'undone' }
  return { files: joinChanges(left), status: left.length === calls.length ? 'stands' : 'partly' }
}

function isFolders(calls: readonly CallBlock[]): boolean {
  return calls.every(({ changes }) => !changes.some(isAboutFile))
}

function joinChanges(calls: readonly CallBlock[]): TurnEnding['files'] {
  return netChanges(calls.flatMap(({ changes }) => changes))
}
