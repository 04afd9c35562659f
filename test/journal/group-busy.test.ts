import { describe, expect, it } from 'vitest'
import { systemClock } from '../../src/host/system/clock.ts'
import type { NoteEntry } from '../../src/journal/entries/entry.ts'
import { createGroupCommit } from '../../src/journal/store/group-commit.ts'
import { JournalError } from '../../src/journal/journal-error.ts'
import type { LogStore, SessionLog } from '../../src/journal/log.ts'
import type { Rows } from '../../src/journal/store/rows.ts'
import { openSqliteStore } from '../../src/journal/store/sqlite-store.ts'
import { watchSteps } from '../harness/faults/world/steps.ts'
import { makeStateFolder } from './state-folder.ts'

/** As long as no time passes, sessions that write are in each other's company, and wait for one another. */
const STANDING = { ...systemClock, elapsed: () => 0 }

const note = (about: string): NoteEntry => ({ kind: 'note', about, execution: null, data: null })

/** `onTry` hears of every transaction that the entry is part of. */
const append = async (log: SessionLog, about: string, onTry: () => unknown = () => null): Promise<void> =>
  log.appendTogether({ entries: [note(about)], reliance: 'durable', confirm: () => void onTry() })

const codesOf = (ends: readonly PromiseSettledResult<unknown>[]): readonly unknown[] =>
  ends.map((end) => (end.status === 'rejected' ? (end.reason as JournalError).code : end.status))

const aboutOf = (log: SessionLog): readonly string[] =>
  [...log.entries()].map(({ entry }) => (entry.kind === 'note' ? entry.about : entry.kind))

async function openMany(store: LogStore, count: number): Promise<readonly SessionLog[]> {
  return Promise.all(Array.from({ length: count }, (_, at) => store.open({ root: '/r', name: `s${at}` })))
}

describe('a journal that other processes keep locked', () => {
  it('is waited for once by all members of a group, and refuses all of them', async () => {
    const busy = new JournalError('busy', 'locked', 'Try again.')
    let waits = 0
    const filled: string[] = []
    const done: string[] = []
    const { join } = createGroupCommit((_reliance, body) => {
      // The lock is waited for before a transaction begins, and is free the second time.
      if (++waits === 1) throw busy
      return body({} as Rows)
    }, systemClock)
    const member = (name: string) => ({
      of: { name },
      reliance: 'durable' as const,
      fill: () => void filled.push(name),
      done: () => void done.push(name),
    })
    const ends = await Promise.allSettled(['a', 'b', 'c', 'd'].map((name) => join(member(name))))
    expect(ends).toEqual(ends.map(() => ({ status: 'rejected', reason: busy })))
    expect([waits, filled, done]).toEqual([1, [], []])
    await join(member('a'))
    expect([waits, filled, done]).toEqual([2, ['a'], ['a']])
  })

  it('is tried once for five sessions that write together, and takes their writes once it is free', async () => {
    const folder = makeStateFolder()
    const locked = Object.assign(new Error('database is locked'), { code: 'ERR_SQLITE_ERROR', errcode: 5 })
    let isLocked = false
    const tried: string[] = []
    await watchSteps(
      ({ name, target }) => (isLocked && name === 'run' && target === 'COMMIT' ? { error: locked } : null),
      async () => {
        const store = openSqliteStore({ stateDir: folder.path, durability: 'full', clock: STANDING })
        const logs = await openMany(store, 5)
        await Promise.all(logs.map((log) => append(log, 'first')))
        isLocked = true
        const ends = await Promise.allSettled(
          logs.map((log, at) => append(log, 'refused', () => tried.push(`s${at}`))),
        )
        isLocked = false
        expect(codesOf(ends)).toEqual(Array(5).fill('busy'))
        await Promise.all(logs.map((log) => append(log, 'second')))
        expect(logs.map(aboutOf)).toEqual(logs.map(() => ['first', 'second']))
        store.close()
      },
    )
    expect(tried).toEqual(['s0', 's1', 's2', 's3', 's4'])
    expect(folder.verify()).toMatchObject({ ok: true, sessions: 5, events: 10 })
  })
})
