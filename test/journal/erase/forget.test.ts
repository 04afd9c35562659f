import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { namesIn } from '../../../src/host/fs/private-files.ts'
import { enforceLimits } from '../../../src/journal/erase/enforce-limits.ts'
import { forget } from '../../../src/journal/erase/forget.ts'
import type { ForgetReport, ForgetSelection } from '../../../src/journal/erase/forget.ts'
import type { LogStore, SessionLog } from '../../../src/journal/log.ts'
import { openMemoryStore } from '../../../src/journal/store/memory-store.ts'
import { openSqliteStore } from '../../../src/journal/store/sqlite-store.ts'
import { storeSize } from '../../../src/journal/store/state-files.ts'
import { startWorker } from '../processes.ts'
import {
  batchOf,
  changeOf,
  content,
  execution,
  payloadsOf,
  recordCall,
  settledOf,
} from '../sample-entries.ts'
import { journalErrorOf, makeStateFolder, SESSION } from '../state-folder.ts'
import { handClock } from '../store-contract.ts'

const DAY_MS = 86_400_000
const OTHER = { root: '/q', name: 'other' }

const done = (report: ForgetReport) => {
  if (!report.ok) throw new Error(report.why)
  return report
}

const forgetNow = async (store: LogStore, selection: ForgetSelection) =>
  done(await forget(store, selection, { why: 'asked', waitMs: 0 }))

const big = (number: number): string => `${number} `.repeat(20_000)

const has = (store: LogStore, text: string): boolean => store.payload(content(text).digest) !== null

for (const kind of ['disk', 'memory'] as const) {
  const setUp = async () => {
    const folder = makeStateFolder()
    const clock = handClock()
    const store =
      kind === 'memory'
        ? openMemoryStore(clock)
        : openSqliteStore({ stateDir: folder.path, durability: 'normal', clock })
    return { store, clock, log: await store.open(SESSION), other: await store.open(OTHER) }
  }

  describe(`forgetting, ${kind}`, () => {
    it('a call loses its arguments, its result and its contents; others keep theirs', async () => {
      const { store, log } = await setUp()
      const change = changeOf('a', 'old text', 'new text')
      log.append({
        entries: [batchOf('b1', [1]), settledOf('b1', 1, [change])],
        payloads: payloadsOf('args 1', 'result 1', 'old text', 'new text'),
        reliance: 'durable',
      })
      log.landed(execution(1))
      recordCall(log, 2)
      const report = await forgetNow(store, { is: 'call', prefix: execution(1) })
      expect(report).toMatchObject({ payloads: 4, bytes: 30, sessions: [SESSION], isScrubbed: true })
      for (const text of ['args 1', 'result 1', 'old text', 'new text'])
        expect(has(store, text), text).toBe(false)
      for (const text of ['args 2', 'result 2']) expect(has(store, text), text).toBe(true)
      const last = [...log.newestFirst()][0]
      expect(last?.entry).toEqual({
        kind: 'forgotten',
        why: 'asked',
        payloads: 4,
        bytes: 30,
        executions: [execution(1)],
      })
      expect(log.about(execution(1)).map(({ entry }) => entry.kind)).toEqual([
        'batch',
        'settled',
        'forgotten',
      ])
      expect(await forgetNow(store, { is: 'call', prefix: execution(1) })).toMatchObject({
        payloads: 0,
        sessions: [],
      })
      store.close()
    })

    it('content that another call names stays until that one is forgotten too', async () => {
      const { store, log, other } = await setUp()
      for (const [number, one] of [log, other].entries()) {
        one.append({
          entries: [
            batchOf(`b${number}`, [number]),
            settledOf(`b${number}`, number, [changeOf('a', null, 'shared')]),
          ],
          payloads: payloadsOf('shared'),
          reliance: 'durable',
        })
        one.landed(execution(number))
      }
      await forgetNow(store, { is: 'session', session: SESSION })
      expect(has(store, 'shared')).toBe(true)
      await forgetNow(store, { is: 'session', session: OTHER })
      expect(has(store, 'shared')).toBe(false)
      recordCall(log, 7, [changeOf('a', null, 'shared')])
      log.append({ entries: [], payloads: payloadsOf('shared'), reliance: 'recorded' })
      expect(has(store, 'shared')).toBe(true)
      store.close()
    })

    it('what an open batch or an unlanded commit needs stays', async () => {
      const { store, log } = await setUp()
      log.append({
        entries: [batchOf('b1', [1, 2]), settledOf('b1', 1)],
        payloads: payloadsOf('args 1', 'args 2', 'result 1'),
        reliance: 'durable',
      })
      recordCall(log, 3, [changeOf('a', 'before', 'after')])
      log.append({ entries: [], payloads: payloadsOf('before', 'after'), reliance: 'durable' })
      recordCall(log, 4)
      expect(await forgetNow(store, { is: 'session', session: SESSION })).toMatchObject({ payloads: 2 })
      for (const text of ['args 1', 'args 2', 'result 1', 'before', 'after', 'result 3'])
        expect(has(store, text), text).toBe(true)
      log.landed(execution(3))
      log.append({ entries: [settledOf('b1', 2)], reliance: 'durable' })
      await forgetNow(store, { is: 'session', session: SESSION })
      for (const text of ['args 1', 'before', 'after', 'result 3']) expect(has(store, text), text).toBe(false)
      store.close()
    })

    it('by age: what was recorded before a moment, in one root or in all', async () => {
      const { store, clock, log, other } = await setUp()
      for (const day of [1, 2, 3]) {
        clock.set(day * DAY_MS)
        recordCall(log, day)
        recordCall(other, 10 + day)
      }
      await forgetNow(store, { is: 'before', time: 2 * DAY_MS, root: '/r' })
      expect([1, 2, 11, 12].map((number) => has(store, `args ${number}`))).toEqual([false, true, true, true])
      await forgetNow(store, { is: 'before', time: 3 * DAY_MS })
      expect([2, 3, 11, 12, 13].map((number) => has(store, `args ${number}`))).toEqual([
        false,
        true,
        false,
        false,
        true,
      ])
      store.close()
    })

    it('a selection that means nothing, or several calls, erases nothing', async () => {
      const { store, log } = await setUp()
      for (const number of [1, 2]) recordCall(log, number)
      const ask = (selection: ForgetSelection) => forget(store, selection, { why: 'asked' })
      expect(await ask({ is: 'call', prefix: 'nope' })).toEqual({ ok: false, why: 'none' })
      expect(await ask({ is: 'call', prefix: 'e' })).toEqual({
        ok: false,
        why: 'several',
        executions: [execution(1), execution(2)],
      })
      expect(await ask({ is: 'session', session: { root: '/r', name: 'nope' } })).toEqual({
        ok: false,
        why: 'none',
      })
      expect([...log.entries()]).toHaveLength(4)
      store.close()
    })

    it('a long list of calls is counted, not listed', async () => {
      const { store, log } = await setUp()
      for (let number = 0; number < 300; number++) recordCall(log, number)
      await forgetNow(store, { is: 'session', session: SESSION })
      const entry = [...log.newestFirst('forgotten')][0]?.entry
      expect(entry).toMatchObject({ payloads: 600, unlisted: 44 })
      expect(entry?.kind === 'forgotten' && entry.executions.length).toBe(256)
      store.close()
    })

    it('limits erase the oldest first and leave the newest', async () => {
      const { store, clock, log } = await setUp()
      for (let number = 1; number <= 10; number++) {
        clock.set(number * DAY_MS)
        recordCall(log, number, [changeOf('a', null, big(number))])
        log.append({ entries: [], payloads: payloadsOf(big(number)), reliance: 'recorded' })
        log.landed(execution(number))
      }
      expect(await enforceLimits(store, { maxBytes: 0, maxAgeDays: 0 }, 10 * DAY_MS)).toBe(0)
      expect(await enforceLimits(store, { maxBytes: 0, maxAgeDays: 8 }, 11 * DAY_MS)).toBeGreaterThan(80_000)
      expect([1, 2, 3, 4].map((number) => has(store, big(number)))).toEqual([false, false, true, true])
      const limit = 250_000
      expect(store.bytesInUse()).toBeGreaterThan(limit)
      await enforceLimits(store, { maxBytes: limit, maxAgeDays: 0 }, 11 * DAY_MS)
      expect(store.bytesInUse()).toBeLessThanOrEqual(limit)
      expect(has(store, big(3))).toBe(false)
      expect(has(store, big(10))).toBe(true)
      const entries = [...log.entries()].length
      await enforceLimits(store, { maxBytes: limit, maxAgeDays: 8 }, 11 * DAY_MS)
      expect([...log.entries()]).toHaveLength(entries)
      store.close()
    })

    it('a limit that cannot be kept is not tried again and again', async () => {
      const { store, log } = await setUp()
      for (let number = 0; number < 50; number++) recordCall(log, number)
      await enforceLimits(store, { maxBytes: 1, maxAgeDays: 0 }, 5_000)
      const entries = [...log.entries()].length
      recordCall(log, 99)
      if (kind === 'disk') await enforceLimits(store, { maxBytes: 1, maxAgeDays: 0 }, 5_000)
      expect([...log.entries()]).toHaveLength(entries + 2)
      store.close()
    })
  })
}

describe('forgetting on disk', () => {
  it('erased bytes are nowhere in the files, the chain verifies, and says how much is gone', async () => {
    const folder = makeStateFolder()
    const store = folder.open()
    const log = await store.open(SESSION)
    // Sizes around those at which a page splits or overflows, mixed, in several rounds of forgetting.
    const sizes = [30, 90, 400, 1200, 3000, 4090, 9000, 70_000]
    const text = (number: number): string =>
      `secret-${execution(number)}-`.repeat(Math.ceil((sizes[number % sizes.length] ?? 30) / 16))
    const count = 160
    for (let number = 0; number < count; number++) {
      recordCall(log, number, [changeOf('a', null, text(number))])
      log.append({ entries: [], payloads: payloadsOf(text(number)), reliance: 'recorded' })
      log.landed(execution(number))
    }
    const gone = new Set<number>()
    for (const [step, of] of [
      [3, 0],
      [5, 1],
      [2, 0],
      [7, 3],
    ] as const) {
      const chosen = Array.from({ length: count }, (_, number) => number).filter(
        (number) => number % step === of && !gone.has(number),
      )
      for (const number of chosen.slice(0, 12)) {
        await forgetNow(store, { is: 'call', prefix: execution(number) })
        gone.add(number)
      }
    }
    store.close()
    const bytes = Buffer.concat([readFileSync(folder.files.database)]).toString('latin1')
    const found = Array.from({ length: count }, (_, number) => number).filter((number) =>
      bytes.includes(`secret-${execution(number)}-`),
    )
    expect(found).toEqual(
      Array.from({ length: count }, (_, number) => number).filter((number) => !gone.has(number)),
    )
    expect(folder.verify()).toMatchObject({ ok: true, erased: gone.size * 3 })
  })

  it('they leave the write-ahead log at once', async () => {
    const folder = makeStateFolder()
    const store = folder.open()
    const log = await store.open(SESSION)
    recordCall(log, 1, [changeOf('a', null, 'top secret')])
    log.append({ entries: [], payloads: payloadsOf('top secret'), reliance: 'recorded' })
    log.landed(execution(1))
    const holds = (): boolean =>
      [folder.files.database, folder.files.writeAheadLog].some((path) =>
        readFileSync(path).includes('top secret'),
      )
    expect(holds()).toBe(true)
    expect(await forgetNow(store, { is: 'call', prefix: execution(1) })).toMatchObject({ isScrubbed: true })
    expect(holds()).toBe(false)
    store.close()
  })

  it('what another process has come to need since the choice was made stays', async () => {
    const folder = makeStateFolder()
    const store = folder.open()
    const log = await store.open(SESSION)
    recordCall(log, 1)
    const later = folder.open()
    const other = await later.open(OTHER)
    recordCall(other, 2)
    const readUpTo = new Map<string, number>()
    other.append({
      entries: [{ ...settledOf('b3', 3), result: content('result 1').digest }],
      payloads: payloadsOf('result 1'),
      reliance: 'recorded',
    })
    const payloads = [content('args 1').digest, content('result 1').digest]
    const { sessionId } = await import('../../../src/journal/chain/chain.ts')
    readUpTo.set(sessionId(SESSION), 2).set(sessionId(OTHER), 2)
    const erasure = { session: SESSION, why: 'asked', executions: [execution(1)], span: null }
    expect(await store.erase([{ ...erasure, payloads, readUpTo }])).toMatchObject([{ payloads: 1 }])
    expect([has(store, 'args 1'), has(later, 'result 1')]).toEqual([false, true])
    later.close()
    store.close()
  })

  it('content that was erased by another process is stored again when it comes back', async () => {
    const folder = makeStateFolder()
    const [one, two] = [folder.open(), folder.open()]
    const log = await one.open(SESSION)
    recordCall(log, 1)
    await forgetNow(two, { is: 'session', session: SESSION }).catch(() => null)
    log.close()
    await forgetNow(two, { is: 'session', session: SESSION })
    const again = await one.open(OTHER)
    again.append({ entries: [batchOf('b9', [1])], payloads: payloadsOf('args 1'), reliance: 'durable' })
    expect(has(two, 'args 1')).toBe(true)
    one.close()
    two.close()
  })

  it('a session that another process has in use is waited for, or left alone', async () => {
    const folder = makeStateFolder()
    await folder.use((log: SessionLog) => recordCall(log, 1))
    const worker = startWorker('hold', folder.path, 's')
    await worker.said(1)
    const store = folder.open()
    const error = await journalErrorOf(() =>
      forget(store, { is: 'session', session: SESSION }, { why: 'asked', waitMs: 10 }),
    )
    expect(error.code).toBe('session_busy')
    expect(await enforceLimits(store, { maxBytes: 0, maxAgeDays: 1 }, Date.now() + 9 * DAY_MS)).toBe(0)
    expect(has(store, 'args 1')).toBe(true)
    worker.child.kill('SIGKILL')
    await worker.ended
    expect(await forgetNow(store, { is: 'session', session: SESSION })).toMatchObject({ payloads: 2 })
    store.close()
  })

  it('an entry that cannot be read keeps neither limits nor a person from erasing what the others name', async () => {
    const folder = makeStateFolder()
    await folder.use((log: SessionLog) => [1, 2].forEach((number) => recordCall(log, number)))
    folder.tamper("UPDATE log SET body = '{' WHERE kind = 'settled' AND seq = 2")
    const store = folder.open()
    const now = Date.now() + 9 * DAY_MS
    expect(await enforceLimits(store, { maxBytes: 0, maxAgeDays: 1 }, now)).toBeGreaterThan(0)
    expect([has(store, 'args 1'), has(store, 'args 2'), has(store, 'result 2')]).toEqual([
      false,
      false,
      false,
    ])
    expect(await forgetNow(store, { is: 'session', session: SESSION })).toMatchObject({ ok: true })
    store.close()
  })

  it('the size of a journal is what its files take', async () => {
    const folder = makeStateFolder()
    expect(storeSize(folder.path)).toBeNull()
    await folder.use((log) => {
      recordCall(log, 1)
      const { database, writeAheadLog, sharedMemory } = folder.files
      const sizes = [database, writeAheadLog, sharedMemory].map((file) => statSync(file).size)
      for (const size of sizes) expect(size).toBeGreaterThan(0)
      const waiting = namesIn(folder.files.segments).map((name) => join(folder.files.segments, name))
      sizes.push(...waiting.map((file) => statSync(file).size))
      expect(storeSize(folder.path)).toBe(sizes.reduce((sum, size) => sum + size))
    })
    expect(storeSize(folder.path)).toBe(readFileSync(folder.files.database).length)
  })
})
