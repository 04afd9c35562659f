import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { copyToRead } from '../../../src/journal/access/copy-to-read.ts'
import { openSqliteStore } from '../../../src/journal/store/sqlite-store.ts'
import { createTakeUpLater } from '../../../src/journal/segments/take-up-later.ts'
import { PATIENCE_MS } from '../../harness/patience.ts'
import { execution, recordCall } from '../sample-entries.ts'
import { makeStateFolder, SESSION } from '../state-folder.ts'
import type { StateFolder } from '../state-folder.ts'
import { copyOf, countEntries, crashAfter, openWithSegment, segmentIn, segmentsIn } from './crash-image.ts'

/** How many sessions were listed as closed. */
function countClosings({ files }: StateFolder): number {
  const database = new DatabaseSync(files.database, { readOnly: true })
  try {
    return Number(database.prepare('SELECT count(*) AS count FROM closing').get()?.['count'])
  } finally {
    database.close()
  }
}

const threeCalls = (log: Parameters<typeof recordCall>[0]): void => {
  for (const number of [1, 2, 3]) recordCall(log, number, [], 'durable')
}

describe('a process that follows its own log', () => {
  it.each(['waits in its segment', 'is in the database'])(
    'finds everything once if it %s, and what it writes meanwhile',
    async (where) => {
      const folder = makeStateFolder()
      const store = openWithSegment(folder.path)
      const log = await store.open(SESSION)
      threeCalls(log)
      if (where === 'is in the database') store.counts(SESSION.root)
      const seen: number[] = []
      for (const { seq } of log.entries(2)) {
        seen.push(seq)
        if (seq === 4) recordCall(log, 4, [], 'durable')
      }
      expect(seen).toEqual([2, 3, 4, 5, 6, 7, 8])
      expect([...log.entries(9)]).toEqual([])
      recordCall(log, 5, [], 'durable')
      expect([...log.entries(9)]).toEqual([...log.entries()].slice(8))
      store.close()
      expect(folder.verify()).toMatchObject({ ok: true, events: 10 })
    },
  )
})

describe('a process that does nothing more', () => {
  it('has the database hold what it recorded, without being asked', async () => {
    const folder = makeStateFolder()
    const store = openWithSegment(folder.path)
    threeCalls(await store.open(SESSION))
    expect(countEntries(folder)).toBeLessThan(6)
    await vi.waitFor(() => expect(countEntries(folder, 'place')).toBe(6), {
      timeout: PATIENCE_MS,
    })
    store.close()
    expect(folder.verify()).toMatchObject({ ok: true, events: 6 })
  })

  describe('with a clock of the test', () => {
    afterEach(() => {
      vi.useRealTimers()
    })

    it('tries again if others are writing, and never once it is closed', () => {
      vi.useFakeTimers()
      const answers = [false, false, true]
      const takeUp = vi.fn(() => answers.shift() ?? true)
      const later = createTakeUpLater(takeUp)
      for (let times = 0; times < 3; times++) later.noteWaiting()
      vi.advanceTimersByTime(1_000)
      expect(takeUp).toHaveBeenCalledTimes(1)
      vi.advanceTimersByTime(60_000)
      expect(takeUp).toHaveBeenCalledTimes(3)
      later.noteWaiting()
      later.stop()
      later.noteWaiting()
      vi.advanceTimersByTime(60_000)
      expect(takeUp).toHaveBeenCalledTimes(3)
    })
  })
})

describe('what is durable', () => {
  it('waits in front of the database only if what is in the database is on disk too', async () => {
    const folder = makeStateFolder()
    const store = openWithSegment(folder.path)
    const log = await store.open(SESSION)
    threeCalls(log)
    store.openBatches()
    recordCall(log, 4, [], 'durable')
    expect(countEntries(folder)).toBe(6)
    // Such a mark goes to the database and is not synced.
    log.landed(execution(1))
    recordCall(log, 5, [], 'durable')
    expect(countEntries(folder)).toBe(10)
    recordCall(log, 6, [], 'durable')
    expect(countEntries(folder)).toBe(10)
    store.close()
  })
})

describe('a copy of a journal that cannot be written to', () => {
  it('holds what waits', async () => {
    const folder = await crashAfter(threeCalls)
    const copy = copyToRead(folder.path)
    try {
      const store = openWithSegment(copy.stateDir)
      expect([...store.read(SESSION)]).toHaveLength(6)
      store.close()
    } finally {
      copy.remove()
    }
  })
})

describe('sessions of several processes', () => {
  it('are listed by when they were written to, whoever is taken up first', async () => {
    const folder = makeStateFolder()
    let now = 1_000
    const clock = { now: () => now++, elapsed: () => now }
    const [one, other] = [0, 1].map(() =>
      openSqliteStore({ stateDir: folder.path, durability: 'normal', clock, segments: 'always' }),
    )
    if (one === undefined || other === undefined) throw new Error('no stores')
    const [first, second] = [
      await one.open({ ...SESSION, name: 'first' }),
      await other.open({ ...SESSION, name: 'second' }),
    ]
    for (const number of [1, 2]) recordCall(second, number)
    for (const number of [3, 4]) recordCall(first, number)
    recordCall(second, 5)
    // This store takes up its own entries before those of the other one.
    for (const store of [other, one])
      expect(store.recent('/r').map(({ name }) => name)).toEqual(['second', 'first'])
    one.close()
    other.close()
  })
})

describe('the end of a closed session', () => {
  it('is in the database, synced, when it is listed: its segment may be lost', async () => {
    const folder = await crashAfter((log) => {
      threeCalls(log)
      recordCall(log, 4)
      log.close()
    })
    expect(countClosings(folder)).toBe(1)
    rmSync(segmentIn(folder))
    expect(folder.verify()).toMatchObject({ ok: true, events: 8 })
  })

  it('is not listed if another process wrote in its place', async () => {
    const folder = makeStateFolder()
    const [one, other] = [openWithSegment(folder.path), openWithSegment(folder.path)]
    const log = await one.open(SESSION)
    threeCalls(log)
    for (const name of readdirSync(folder.files.locks)) rmSync(join(folder.files.locks, name))
    const taken = await other.open(SESSION)
    recordCall(taken, 10, [], 'durable')
    recordCall(log, 20, [], 'durable')
    taken.close()
    log.close()
    expect(countClosings(folder)).toBe(1)
    one.close()
    other.close()
    expect(JSON.stringify(folder.verify())).toContain('no place in the journal')
  })
})

describe('entries whose predecessors are gone', () => {
  it('are kept and named, unless a power cut explains it', async () => {
    const folder = await crashAfter((log, store) => {
      threeCalls(log)
      store.openBatches()
      recordCall(log, 4)
    }, 'normal')
    folder.tamper('DELETE FROM log WHERE seq = 6; DELETE FROM place WHERE seq = 6')
    const copy = copyOf(folder)
    expect(copy.verify()).toMatchObject({ ok: false })
    folder.open('normal').close()
    expect(segmentsIn(folder)).toEqual([])
    expect(readdirSync(folder.files.segments).filter((name) => name.endsWith('.contested'))).toHaveLength(1)
  })
})
