import { expect, it } from 'vitest'
import { readTurnChanges } from '../../../src/agent/log/turn-changes.ts'
import type { FileChange, StoredEntry } from '../../../src/journal/entries/entry.ts'
import { createIds } from '../../../src/host/system/ids.ts'

const FILE = { digest: 'd', mode: 0o644, uid: 0, gid: 0 }
const created = (path: string): FileChange => ({ root: '/w', path, before: null, after: FILE, folders: [] })

it('what a turn changed is found beside calls of an older turn that ended meanwhile, and no further back', () => {
  let now = 1_000
  const newId = createIds({ now: () => now, elapsed: () => now, sleep: async () => undefined })
  const older = newId()
  now = 5_000
  const turn = newId()
  const settled = (of: string, at: number, path: string) =>
    ({
      seq: at,
      at,
      entry: { kind: 'settled', turn: of, execution: path, changes: [created(path)] },
    }) as unknown as StoredEntry
  function* edits(): Generator<StoredEntry> {
    yield settled(turn, 9_000, 'b')
    yield settled(older, 8_000, 'late')
    yield settled(turn, 7_000, 'a')
    yield settled(older, 4_000, 'early')
    throw new Error('read further back than the turn')
  }
  expect(readTurnChanges({ edits, key: { root: '/w', name: 's' } }, turn)).toEqual([
    { path: 'a', change: 'created' },
    { path: 'b', change: 'created' },
  ])
})
