import { DatabaseSync } from 'node:sqlite'
import { expectedObjects } from '../../src/journal/repair/check-schema.ts'
import { MIGRATIONS } from '../../src/journal/store/schema.ts'
import { describe, expect, it, vi } from 'vitest'
import { batchOf, changeOf, content, execution, payloadsOf, recordCall, settledOf } from './sample-entries.ts'
import { makeStateFolder, makeUnlisted, SESSION } from './state-folder.ts'
import { seen } from './store-contract.ts'

/** Tables that grow with the journal. */
const GROWING = /^SCAN (?:log|l|place|p|about|a|payload_place|pack|seen|closing)\b/

describe('the length of a session', () => {
  it('does not matter for opening it, appending to it and looking things up: no query walks through a growing table', async () => {
    const folder = makeStateFolder()
    const texts = new Set<string>()
    const prepare = DatabaseSync.prototype.prepare
    const spy = vi.spyOn(DatabaseSync.prototype, 'prepare').mockImplementation(function (
      this: DatabaseSync,
      sql,
      ...rest
    ) {
      texts.add(sql)
      return prepare.call(this, sql, ...rest)
    })
    const store = folder.open()
    const log = await store.open(SESSION)
    log.append({ entries: [batchOf('b', [1, 2])], payloads: payloadsOf('args 1'), reliance: 'recorded' })
    log.append({
      entries: [settledOf('b', 1, [changeOf('a', 'x', 'y')])],
      payloads: payloadsOf('x', 'y', 'args 3'),
      seen: [seen('/r/a', 'd', [1, 2])],
      reliance: 'durable',
    })
    log.landed(execution(1))
    log.openBatches()
    log.ledger('/r/b')
    log.payload('00'.repeat(32))
    log.about(execution(1))
    for (const first of log.newestFirst('settled')) if (first !== undefined) break
    for (const first of log.entries(2)) if (first !== undefined) break
    store.unlanded('/r')
    store.findCalls('e')
    store.close()
    const again = folder.open()
    await again.open(SESSION)
    again.close()
    spy.mockRestore()
    const database = new DatabaseSync(folder.files.database)
    database.function('entry_text', (body) => body)
    const queries = [...texts].filter((sql) => /^\s*(?:SELECT|INSERT|DELETE|UPDATE)/.test(sql))
    expect(queries.length).toBeGreaterThan(20)
    const walks = queries.flatMap((sql) =>
      database
        .prepare(`EXPLAIN QUERY PLAN ${sql}`)
        .all()
        .map((row) => String(row['detail']))
        .filter((detail) => GROWING.test(detail))
        .map((detail) => `${detail}: ${sql}`),
    )
    expect(walks).toEqual([])
    database.close()
  })

  it('does not change how much one call adds to the database', async () => {
    const folder = makeStateFolder()
    const store = folder.open('normal')
    const log = await store.open(SESSION)
    const grow = (from: number, calls: number): number => {
      const before = store.bytesInUse()
      for (let number = from; number < from + calls; number++) recordCall(log, number)
      log.openBatches()
      return (store.bytesInUse() - before) / calls
    }
    const early = grow(0, 400)
    grow(1000, 1500)
    expect(grow(3000, 400)).toBeLessThan(early * 1.2)
    expect(early).toBeLessThan(3000)
    store.close()
  })
})

describe('a journal from before the tables that make its length irrelevant', () => {
  it('gets them filled when it is opened', async () => {
    const folder = makeStateFolder()
    await folder.use((log) => {
      recordCall(log, 1, [changeOf('a', 'x', 'y')])
      recordCall(log, 2)
      log.append({
        entries: [
          {
            kind: 'streamed',
            turn: 't2',
            execution: execution(3),
            id: 'c3',
            name: 'read_file',
            args: content('args 3').digest,
          },
          { kind: 'undo', execution: 'u1', calls: [execution(1)], changes: [], actor: null },
        ],
        // Of the change of the first call, and of the call that only streamed.
        payloads: payloadsOf('x', 'y', 'args 3'),
        reliance: 'durable',
      })
      log.landed(execution(1))
      log.openBatches()
    })
    makeUnlisted(folder)
    const earlier = expectedObjects(MIGRATIONS.slice(0, 4))
    folder.tamper(
      `DROP TABLE edit; DROP TABLE received; DROP TABLE sweep; DROP INDEX place_of_kind;
       DROP TABLE payload_place; ${earlier.get('payload_place')?.sql}; DROP TABLE seen; DROP TABLE changes_seal; ${earlier.get('seen')?.sql};
       DELETE FROM meta WHERE key = 'used_to'; PRAGMA user_version = 4`,
    )
    const store = folder.open()
    const log = await store.open(SESSION)
    // An undo from before there were seals takes nothing back: nothing shows who recorded it.
    expect([...log.edits()].map(({ entry }) => entry.kind)).toEqual(['settled'])
    expect([...log.newestFirst('streamed')]).toHaveLength(1)
    expect(store.unfinished(SESSION.root)).toEqual([SESSION.name])
    expect(store.uses.expiring(Date.now() + 1000)).toEqual([{ session: SESSION, seq: 1 }])
    expect(store.uses.update()).toBe(true)
    expect(store.uses.cutoffFor(1)).toBeGreaterThan(1)
    store.close()
    expect(folder.verify().first_bad).toBeNull()
  })
})
