import { expect, it, onTestFinished } from 'vitest'
import type { Sqlite } from '../../../src/host/db/sqlite.ts'
import { sessionId } from '../../../src/journal/chain/chain.ts'
import { findPayloadsToErase } from '../../../src/journal/erase/erase-payloads.ts'
import { openDatabase } from '../../../src/journal/store/open-database.ts'
import { content, recordCall } from '../sample-entries.ts'
import { makeStateFolder } from '../state-folder.ts'

const SESSIONS = 100

it('erasing from many sessions reads what is new once, and keeps what a new entry mentions', async () => {
  const folder = makeStateFolder()
  const readUpTo = new Map<string, number>()
  const store = folder.open('normal')
  for (let number = 1; number <= SESSIONS; number++) {
    const session = { root: '/r', name: `s${number}` }
    const log = await store.open(session)
    recordCall(log, number)
    log.openBatches()
    log.close()
    readUpTo.set(sessionId(session), 2)
  }
  store.close()
  const { sqlite } = openDatabase(folder.files)
  onTestFinished(sqlite.close)
  let asked = 0
  const counted: Sqlite = { ...sqlite, statement: (sql) => (asked++, sqlite.statement(sql)) }
  const find = (...texts: readonly string[]): number => {
    asked = 0
    const payloads = texts.map((text) => content(text).digest)
    return findPayloadsToErase(counted, { payloads, readUpTo }).payloads
  }
  expect(find('result 1', 'result 2')).toBe(2)
  expect(asked).toBeGreaterThan(SESSIONS)
  expect(find('result 1', 'result 2')).toBe(2)
  expect(asked).toBeLessThan(10)
  await folder.use(
    (log) => {
      recordCall(log, 1)
      log.openBatches()
    },
    { session: { root: '/r', name: 'another' } },
  )
  expect(find('result 1', 'result 2')).toBe(1)
  expect(asked).toBeLessThan(20)
  expect(find('result 1', 'result 2')).toBe(1)
})
