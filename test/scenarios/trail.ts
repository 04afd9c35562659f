import type { StoredEntry } from '../../src/journal/entries/entry.ts'

/**
 * What is on record besides the audit trail: who was asked about what, what was answered, what each gate found, what was
 * changed, undone and redone. Entries that only some faces need, such as those of a conversation, are left out.
 */
export function readTrail(entries: Iterable<StoredEntry>): readonly unknown[] {
  return [...entries].flatMap(({ entry }): readonly unknown[] => {
    switch (entry.kind) {
      case 'asked':
        return [
          {
            kind: entry.kind,
            questions: entry.questions.map(({ risk, about, diff }) => ({
              risk,
              about,
              hasDiff: diff !== null,
            })),
          },
        ]
      case 'answered': {
        const { kind, isApproved, say, refusal, wish, hunks } = entry
        return [{ kind, isApproved, say, refusal, wish, hunks }]
      }
      case 'settled': {
        const { kind, name, effect, moves, error, capabilities, changes, gates } = entry
        const files = changes.map(({ path, before, after }) => ({ path, before, after }))
        const states = moves.map(({ state }) => state)
        return [{ kind, name, effect, states, error, capabilities, files, gates }]
      }
      case 'undo':
      case 'redo':
      case 'recovered':
        return [entry]
      default:
        return []
    }
  })
}
