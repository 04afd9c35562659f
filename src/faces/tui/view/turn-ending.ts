import type { CallBlock, ShownChange, View } from './view.ts'

/** What a turn has changed, and whether it still stands. */
export interface TurnEnding {
  readonly turn: string
  /** The key of the last block of the turn. */
  readonly after: string
  readonly files: readonly Pick<ShownChange, 'path' | 'is'>[]
  readonly standing: 'stands' | 'undone' | 'partly'
  /** How many calls made these changes. */
  readonly calls: number
  readonly isNewest: boolean
}

/** What each turn of a view has changed, turns without changes and the one that goes on left out. */
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
      : [{ turn, after: last, files: joinChanges(calls), standing: standingOf(calls), calls: calls.length }],
  )
  const newest = endings.findLast(({ standing }) => standing !== 'undone')
  return endings.map((ending) => ({ ...ending, isNewest: ending === newest }))
}

function standingOf(calls: readonly CallBlock[]): TurnEnding['standing'] {
  const undone = calls.filter(({ isUndone }) => isUndone).length
  return undone === 0 ? 'stands' : undone === calls.length ? 'undone' : 'partly'
}

/** Several changes of one file are one: from what it was at first to what it is at last. */
function joinChanges(calls: readonly CallBlock[]): TurnEnding['files'] {
  const files = new Map<string, { wasThere: boolean; isThere: boolean }>()
  for (const { path, is } of calls.flatMap(({ changes }) => changes)) {
    const known = files.get(path)
    files.set(path, { wasThere: known?.wasThere ?? is !== 'created', isThere: is !== 'deleted' })
  }
  return [...files].flatMap(([path, { wasThere, isThere }]) => {
    if (!wasThere && !isThere) return []
    return [{ path, is: !wasThere ? 'created' : isThere ? 'modified' : 'deleted' } as const]
  })
}
