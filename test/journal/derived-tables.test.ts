import { describe, expect, it } from 'vitest'
import { DAY_MS } from '../../src/core/clock.ts'
import { enforceLimits } from '../../src/journal/erase/enforce-limits.ts'
import { changeOf, content, execution, payloadsOf, recordCall } from './sample-entries.ts'
import { makeStateFolder, SESSION } from './state-folder.ts'
import type { StateFolder } from './state-folder.ts'

/** A call that changed a file, and one that only read: entries 2 and 4 are their results. */
async function makeUsed(): Promise<StateFolder> {
  const folder = makeStateFolder()
  await folder.use((log) => {
    log.append({ entries: [], payloads: payloadsOf('x', 'y'), reliance: 'recorded' })
    recordCall(log, 1, [changeOf('a', 'x', 'y')], 'durable')
    recordCall(log, 2, [], 'durable')
    log.landed(execution(1))
    log.openBatches()
  })
  expect(folder.verify()).toMatchObject({ ok: true })
  return folder
}

describe('what undo and deduplication look edits up in', () => {
  it.each([
    ['a removed row', 'DELETE FROM edit', 2, 'hidden'],
    ['a row about an entry that is not an edit', 'INSERT INTO edit VALUES (1, 3)', 3, 'not an edit'],
    ['a row about an entry that does not exist', 'INSERT INTO edit VALUES (1, 99)', 99, 'not an edit'],
    ['a row about a session that does not exist', 'INSERT INTO edit VALUES (9, 1)', 1, 'not an edit'],
  ])('%s is named', async (_what, sql, seq, why) => {
    const folder = await makeUsed()
    folder.tamper(sql)
    expect(folder.verify().first_bad).toMatchObject({ seq, why: expect.stringContaining(why) })
  })

  it('control: rows that are not folded yet are not missed', async () => {
    const folder = await makeUsed()
    await folder.use((log) => recordCall(log, 3, [changeOf('b', 'x', 'y')], 'durable'))
    expect(folder.verify()).toMatchObject({ ok: true })
  })
})

describe('marks that a check need not know', () => {
  it('a forged mark of an unfinished session has it looked at, and finds nothing to finish', async () => {
    const folder = await makeUsed()
    folder.tamper('INSERT OR REPLACE INTO received VALUES (1, 1), (9, 9)')
    const store = folder.open()
    expect(store.unfinished(SESSION.root)).toEqual([SESSION.name])
    expect(store.openBatches(SESSION.root)).toEqual([])
    expect(store.unlanded(SESSION.root)).toEqual([])
    store.close()
    expect(folder.verify()).toMatchObject({ ok: true })
  })

  it('forged times of use and of sweeping erase nothing that is not too old', async () => {
    const folder = await makeUsed()
    folder.tamper(
      'UPDATE payload_place SET used = 0; INSERT OR REPLACE INTO sweep VALUES (1, 1, 0), (9, 1, 0)',
    )
    const store = folder.open()
    expect(await enforceLimits(store, { maxBytes: 0, maxAgeDays: 1 }, Date.now())).toBe(0)
    expect(store.payload(content('result 1').digest)).not.toBeNull()
    expect(
      await enforceLimits(store, { maxBytes: 0, maxAgeDays: 1 }, Date.now() + 3 * DAY_MS),
    ).toBeGreaterThan(0)
    store.close()
    expect(folder.verify()).toMatchObject({ ok: true })
  })
})
