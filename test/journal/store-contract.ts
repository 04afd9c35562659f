import { describe, expect, it } from 'vitest'
import type { Clock } from '../../src/core/clock.ts'
import type { Grant } from '../../src/core/grant.ts'
import { digest as digestOf } from '../../src/host/system/hash.ts'
import type { SeenFile } from '../../src/journal/entries/entry.ts'
import { JournalError } from '../../src/journal/journal-error.ts'
import type { LogStore, RecentFilter, SessionLog } from '../../src/journal/log.ts'
import { findCalls } from '../../src/journal/erase/forget.ts'
import {
  batchOf,
  changeOf,
  content,
  declareCall,
  execution,
  payloadsOf,
  recordCall,
  settledOf,
  SAMPLE_GRANT,
} from './sample-entries.ts'
import { PATIENCE_MS } from '../harness/patience.ts'

/** A clock that the test moves. */
export function handClock(start = 1_000): Clock & { set: (ms: number) => void } {
  let now = start
  return { now: () => now, elapsed: () => performance.now(), set: (ms) => (now = ms) }
}

/** Something that was shown of a file. */
export function seen(
  path: string,
  digest: string | null,
  lines: readonly [number, number] | null,
  at = 1,
): SeenFile {
  return { path, digest, at, range: lines === null ? null : { start_line: lines[0], end_line: lines[1] } }
}

/** What every store does, wherever it keeps things. */
export function describeStore(name: string, openStore: (clock: Clock) => LogStore): void {
  const key = { root: '/r', name: 's' }
  const withLog =
    (run: (log: SessionLog, store: LogStore, clock: ReturnType<typeof handClock>) => void | Promise<void>) =>
    async () => {
      const clock = handClock()
      const store = openStore(clock)
      try {
        await run(await store.open(key), store, clock)
      } finally {
        store.close()
      }
    }

  describe(`${name}: entries`, () => {
    it(
      'what is appended comes back in order, with its place and its time',
      withLog((log, store, clock) => {
        const entries = [batchOf('b1', [1, 2]), settledOf('b1', 1)] as const
        const appended = log.append({ entries, reliance: 'recorded' })
        clock.set(500.7)
        log.append({ entries: [settledOf('b1', 2)], reliance: 'durable' })
        const all = [...log.entries()]
        expect(all.map(({ seq }) => seq)).toEqual([1, 2, 3])
        expect(all.map(({ at }) => at)).toEqual([1000, 1000, 500])
        expect(all.map(({ entry }) => entry)).toEqual([...entries, settledOf('b1', 2)])
        expect(all.every(({ session }) => session.root === '/r' && session.name === 's')).toBe(true)
        expect(appended.map(({ hash }) => hash)).toEqual(all.slice(0, 2).map(({ hash }) => hash))
        expect([...store.read(key)].map(({ hash }) => hash)).toEqual(all.map(({ hash }) => hash))
        expect([...log.entries(3)].map(({ seq }) => seq)).toEqual([3])
        expect([...log.entries(9)]).toEqual([])
      }),
    )

    it(
      'a reader that does not own the session gets its entries from a given number on',
      withLog(async (log, store) => {
        const numbersFrom = (fromSeq?: number): readonly number[] =>
          [...store.read(key, fromSeq)].map(({ seq }) => seq)
        const other = await store.open({ root: '/r', name: 'other' })
        for (let number = 1; number <= 300; number++) {
          recordCall(log, number)
          recordCall(other, 1000 + number)
        }
        // Before and after the tables of a store on disk have caught up with its log.
        for (const settle of [() => null, () => log.openBatches()]) {
          settle()
          expect(numbersFrom()).toEqual(Array.from({ length: 600 }, (_, at) => at + 1))
          expect(numbersFrom(1)).toEqual(numbersFrom())
          expect(numbersFrom(597)).toEqual([597, 598, 599, 600])
          expect(numbersFrom(601)).toEqual([])
          expect([...log.entries(597)].map(({ hash }) => hash)).toEqual(
            [...store.read(key, 597)].map(({ hash }) => hash),
          )
        }
        expect([...store.read({ root: '/r', name: 'none' }, 2)]).toEqual([])
      }),
    )

    it(
      'an open batch names the entry that declared it, so that reading can begin there',
      withLog((log, store) => {
        recordCall(log, 1)
        log.append({ entries: [batchOf('b2', [2, 3]), settledOf('b2', 2)], reliance: 'recorded' })
        declareCall(log, 4)
        const open = log.openBatches()
        expect(open).toEqual([
          { session: key, batch: 'b2', seq: 3 },
          { session: key, batch: 'b4', seq: 5 },
        ])
        expect(store.openBatches('/r')).toEqual(open)
        for (const { batch, seq } of open) {
          const [first] = store.read(key, seq)
          expect(first?.entry).toMatchObject({ kind: 'batch', batch })
        }
      }),
    )

    it(
      'a hash depends on everything before it, on the session and on the place',
      withLog(async (log, store) => {
        const other = await store.open({ root: '/r', name: 'other' })
        for (const one of [log, other])
          one.append({ entries: [settledOf('b', 1), settledOf('b', 1)], reliance: 'recorded' })
        const hashes = [...log.entries(), ...other.entries()].map(({ hash }) => hash)
        expect(new Set(hashes).size).toBe(4)
        expect(hashes.every((hash) => /^[0-9a-f]{64}$/.test(hash))).toBe(true)
      }),
    )

    it(
      'newest first, of one kind or of all, as far as somebody reads',
      withLog((log) => {
        for (let number = 1; number <= 450; number++) recordCall(log, number, [], 'recorded')
        log.append({
          entries: [{ kind: 'note', about: 'x', execution: null, data: { a: [1, null] } }],
          reliance: 'recorded',
        })
        expect([...log.newestFirst()].map(({ seq }) => seq)).toEqual(
          Array.from({ length: 901 }, (_, at) => 901 - at),
        )
        expect([...log.newestFirst('batch')].map(({ seq }) => seq).slice(0, 3)).toEqual([899, 897, 895])
        expect([...log.newestFirst('batch')]).toHaveLength(450)
        expect([...log.newestFirst('note')].map(({ entry }) => entry)).toEqual([
          { kind: 'note', about: 'x', execution: null, data: { a: [1, null] } },
        ])
        expect([...log.newestFirst('undo')]).toEqual([])
        log.openBatches()
        expect([...log.newestFirst()].map(({ seq }) => seq)).toEqual(
          Array.from({ length: 901 }, (_, at) => 901 - at),
        )
        for (const { seq } of log.newestFirst('settled')) {
          expect(seq).toBe(900)
          break
        }
      }),
    )

    it(
      'entries can be appended while they are being read',
      withLog((log) => {
        recordCall(log, 1)
        const met: number[] = []
        for (const { seq } of log.entries()) {
          met.push(seq)
          if (seq < 600) log.append({ entries: [settledOf('b', seq)], reliance: 'recorded' })
        }
        expect(met).toEqual(Array.from({ length: 601 }, (_, at) => at + 1))
      }),
    )

    it(
      'long sessions stay in order over every internal boundary',
      withLog(async (log, store) => {
        const other = await store.open({ root: '/r', name: 'other' })
        for (let number = 1; number <= 700; number++) {
          recordCall(log, number, [], 'recorded')
          if (number % 7 === 0) recordCall(other, 10_000 + number, [], 'recorded')
        }
        expect([...log.entries()].map(({ seq }) => seq)).toEqual(
          Array.from({ length: 1400 }, (_, at) => at + 1),
        )
        expect([...log.entries(1395)].map(({ seq }) => seq)).toEqual([1395, 1396, 1397, 1398, 1399, 1400])
        expect([...other.entries()]).toHaveLength(200)
        for (const number of [1, 350, 700]) {
          expect(log.about(execution(number)).map(({ entry }) => entry.kind)).toEqual(['batch', 'settled'])
          expect(log.payload(content(`args ${number}`).digest)).toEqual(content(`args ${number}`).bytes)
        }
        expect(log.about(execution(10_007))).toEqual([])
        expect(log.openBatches()).toEqual([])
      }),
    )
  })

  describe(`${name}: about calls`, () => {
    it(
      'everything about a call is found by its id, also what was done to it later',
      withLog((log, store) => {
        recordCall(log, 1)
        recordCall(log, 2, [changeOf('a', null, 'x')])
        log.append({
          entries: [
            {
              kind: 'undo',
              execution: execution(3),
              calls: [execution(2)],
              changes: [changeOf('a', 'x', null)],
              actor: null,
            },
            { kind: 'note', about: 'why', execution: execution(2), data: null },
            { kind: 'answered', batch: 'b2', approval: 'a1', isApproved: true, say: null, actor: null },
          ],
          reliance: 'durable',
        })
        expect(log.about(execution(2)).map(({ entry }) => entry.kind)).toEqual([
          'batch',
          'settled',
          'undo',
          'note',
        ])
        expect(log.about(execution(3)).map(({ entry }) => entry.kind)).toEqual(['undo'])
        expect(log.about('e')).toEqual([])
        const found = findCalls(store, execution(2))
        expect(found.ok && found.entries.map(({ seq }) => seq)).toEqual([3, 4, 5, 6])
        expect(found.ok && found.session).toEqual(key)
      }),
    )

    it(
      'a prefix finds a call if it fits no other one under that root',
      withLog(async (log, store) => {
        for (const number of [100, 101, 200]) recordCall(log, number)
        const other = await store.open({ root: '/q', name: 's' })
        recordCall(other, 201)
        expect(findCalls(store, 'e0001')).toEqual({
          ok: false,
          why: 'several',
          executions: [execution(100), execution(101)],
        })
        expect(findCalls(store, 'e0002')).toMatchObject({ ok: false, why: 'several' })
        expect(findCalls(store, 'e0002', '/r')).toMatchObject({ ok: true, execution: execution(200) })
        expect(findCalls(store, 'e000201')).toMatchObject({ ok: true, session: { root: '/q', name: 's' } })
        expect(findCalls(store, 'f')).toEqual({ ok: false, why: 'none' })
        expect(findCalls(store, '')).toEqual({ ok: false, why: 'none' })
        expect(findCalls(store, '%')).toEqual({ ok: false, why: 'none' })
      }),
    )

    it(
      'an id that is the beginning of another one means itself',
      withLog((log, store) => {
        log.append({
          entries: [settledOf('b', 1), { ...settledOf('b', 1), execution: 'e0000012' }],
          reliance: 'durable',
        })
        expect(findCalls(store, 'e000001')).toMatchObject({ ok: true, execution: 'e000001' })
      }),
    )
  })

  describe(`${name}: payloads`, () => {
    it(
      'bytes come back as they were, and an unknown digest is null',
      withLog((log, store) => {
        const every = Uint8Array.from({ length: 256 }, (_, at) => at)
        const large = new Uint8Array(300_000).fill(7)
        const payloads = new Map([every, new Uint8Array(0), large].map((bytes) => [digestOf(bytes), bytes]))
        log.append({ entries: [settledOf('b', 1)], payloads, reliance: 'durable' })
        for (const [digest, bytes] of payloads) {
          expect(Buffer.compare(store.payload(digest) ?? Buffer.from('none'), bytes)).toBe(0)
          expect(store.payloadBytes(digest)).toBe(bytes.length)
        }
        expect(log.payload('44'.repeat(32))).toBeNull()
        expect(store.payloadBytes('44'.repeat(32))).toBeNull()
      }),
    )

    it(
      'the same content is kept once, whoever stores it',
      withLog(async (log, store) => {
        const other = await store.open({ root: '/q', name: 'o' })
        const big = 'x'.repeat(200_000)
        log.append({ entries: [settledOf('b', 1)], payloads: payloadsOf(big), reliance: 'durable' })
        const before = store.bytesInUse()
        for (const one of [log, other, log])
          one.append({ entries: [settledOf('b', 2)], payloads: payloadsOf(big), reliance: 'durable' })
        log.openBatches()
        other.append({ entries: [settledOf('b', 3)], payloads: payloadsOf(big), reliance: 'durable' })
        expect(store.bytesInUse() - before).toBeLessThan(100_000)
      }),
    )
  })

  describe(`${name}: the ledger`, () => {
    it(
      'ranges of the same content are joined, other content starts afresh, all of it stays all of it',
      withLog((log) => {
        const show = (...files: readonly SeenFile[]): void => {
          log.append({ entries: [], seen: files, reliance: 'recorded' })
        }
        expect(log.ledger('/r/a')).toBeNull()
        show(seen('/r/a', 'd1', [10, 20]))
        show(seen('/r/a', 'd1', [40, 50], 2), seen('/r/a', 'd1', [15, 30], 3))
        expect(log.ledger('/r/a')).toEqual({
          path: '/r/a',
          digest: 'd1',
          at: 3,
          ranges: [
            { start_line: 10, end_line: 30 },
            { start_line: 40, end_line: 50 },
          ],
        })
        show(seen('/r/a', 'd1', [31, 39], 4))
        expect(log.ledger('/r/a')?.ranges).toEqual([{ start_line: 10, end_line: 50 }])
        show(seen('/r/a', 'd2', [1, 2], 5))
        expect(log.ledger('/r/a')).toMatchObject({
          digest: 'd2',
          at: 5,
          ranges: [{ start_line: 1, end_line: 2 }],
        })
        show(seen('/r/a', 'd2', null, 6))
        show(seen('/r/a', 'd2', [1, 2], 7))
        expect(log.ledger('/r/a')).toMatchObject({ digest: 'd2', at: 7, ranges: null })
        show(seen('/r/huge', null, [1, 2]), seen('/r/huge', null, [3, 4]))
        expect(log.ledger('/r/huge')).toMatchObject({
          digest: null,
          ranges: [{ start_line: 1, end_line: 4 }],
        })
      }),
    )

    it(
      'a forgotten path is gone, and can be seen again',
      withLog((log) => {
        log.append({
          entries: [],
          seen: [seen('/r/a', 'd', null), seen('/r/b', 'd', null)],
          reliance: 'recorded',
        })
        log.append({ entries: [], unseen: ['/r/a', '/r/never'], reliance: 'recorded' })
        expect([log.ledger('/r/a'), log.ledger('/r/b')?.digest, log.ledger('/r/never')]).toEqual([
          null,
          'd',
          null,
        ])
        log.openBatches()
        expect([log.ledger('/r/a'), log.ledger('/r/b')?.digest]).toEqual([null, 'd'])
        log.append({ entries: [], seen: [seen('/r/a', 'd', [1, 2])], unseen: ['/r/a'], reliance: 'recorded' })
        expect(log.ledger('/r/a')).toMatchObject({ ranges: [{ start_line: 1, end_line: 2 }] })
      }),
    )

    it(
      'each session has a ledger of its own',
      withLog(async (log, store) => {
        const other = await store.open({ root: '/r', name: 'other' })
        log.append({ entries: [settledOf('b', 1)], seen: [seen('/r/a', 'd', null)], reliance: 'durable' })
        expect(other.ledger('/r/a')).toBeNull()
      }),
    )
  })

  describe(`${name}: what is unfinished`, () => {
    it(
      'a batch is open until each of its calls has a result',
      withLog((log, store) => {
        log.append({
          entries: [batchOf('b1', [1, 2]), batchOf('b2', [3]), batchOf('b3', [])],
          reliance: 'recorded',
        })
        const open = (): readonly string[] => log.openBatches().map(({ batch }) => batch)
        expect(open()).toEqual(['b1', 'b2'])
        log.append({ entries: [settledOf('b1', 1), settledOf('b2', 3)], reliance: 'durable' })
        expect(open()).toEqual(['b1'])
        expect(store.openBatches('/r')).toEqual([{ session: key, batch: 'b1', seq: 1 }])
        expect(store.openBatches('/q')).toEqual([])
        log.append({ entries: [settledOf('b1', 2)], reliance: 'durable' })
        expect([open(), store.openBatches()]).toEqual([[], []])
        log.append({ entries: [batchOf('b4', [4]), settledOf('b4', 4)], reliance: 'durable' })
        expect(open()).toEqual([])
      }),
    )

    it(
      'a commit with changes is unlanded until somebody says it landed',
      withLog((log, store) => {
        const change = changeOf('a', 'old', 'new')
        recordCall(log, 1, [change])
        recordCall(log, 2)
        log.append({
          entries: [
            {
              kind: 'undo',
              execution: execution(3),
              calls: [execution(1)],
              changes: [changeOf('a', 'new', 'old')],
              actor: null,
            },
          ],
          reliance: 'durable',
        })
        const sameBoot = { isOfEarlierBoot: false, isTimeCertain: true, committedAt: expect.any(Number) }
        expect(log.unlanded()).toEqual([
          { session: key, execution: execution(1), changes: [change], ...sameBoot },
          { session: key, execution: execution(3), changes: [changeOf('a', 'new', 'old')], ...sameBoot },
        ])
        expect(store.unlanded('/r')).toEqual(log.unlanded())
        expect(store.unlanded('/q')).toEqual([])
        log.landed(execution(1))
        log.landed('e999999')
        expect(log.unlanded().map((one) => one.execution)).toEqual([execution(3)])
        log.landed(execution(3))
        expect([log.unlanded(), store.unlanded('/r')]).toEqual([[], []])
      }),
    )
  })

  describe(`${name}: sessions`, () => {
    it(
      'are listed once they have entries, by root',
      withLog(async (log, store) => {
        await store.open({ root: '/q', name: 'idle' })
        const other = await store.open({ root: '/q', name: 's' })
        expect(store.sessions()).toEqual([])
        recordCall(log, 1)
        recordCall(other, 2)
        expect(store.sessions()).toEqual([key, { root: '/q', name: 's' }])
        expect(store.sessions('/q')).toEqual([{ root: '/q', name: 's' }])
        expect([...store.read({ root: '/q', name: 'idle' })]).toEqual([])
        expect([...store.read({ root: '/none', name: 's' })]).toEqual([])
      }),
    )

    it(
      'are known by when they were last written to, the newest first',
      withLog(async (log, store, clock) => {
        expect([store.recent('/r'), store.hasSessions('/r')]).toEqual([[], false])
        const other = await store.open({ root: '/r', name: 'other' })
        recordCall(log, 1)
        clock.set(2_000)
        recordCall(other, 2)
        clock.set(3_000)
        recordCall(await store.open({ root: '/q', name: 'elsewhere' }), 3)
        const names = (): readonly string[] => store.recent('/r').map((session) => session.name)
        expect(names()).toEqual(['other', 's'])
        expect([store.hasSessions('/r'), store.hasSessions('/other')]).toEqual([true, false])
        expect(store.recent('/r')[0]).toEqual({
          name: 'other',
          lastAt: 2_000,
          entries: [...other.entries()].length,
        })
        recordCall(log, 4)
        expect(names()).toEqual(['s', 'other'])
      }),
    )

    it(
      'are known by when run or the app used them, when they were edited, and what they hold',
      withLog(async (log, store, clock) => {
        const other = await store.open({ root: '/r', name: 'other' })
        const said = (role: 'user' | 'assistant' | 'tool') =>
          ({ kind: 'said', turn: 't', role, message: content(role).digest, model: null }) as const
        log.append({ entries: [said('user'), said('assistant'), said('tool')], reliance: 'recorded' })
        clock.set(2_000)
        other.append({
          entries: [{ kind: 'opened', by: 'app', preset: null, seal: '' }],
          reliance: 'recorded',
        })
        clock.set(3_000)
        recordCall(log, 1)
        declareCall(await store.open({ root: '/q', name: 'elsewhere' }), 2)
        expect(store.lastUses('/r')).toEqual([
          { name: 'other', at: 2_000 },
          { name: 's', at: 1_000 },
        ])
        expect(store.lastUses('/r', 1)).toEqual([{ name: 'other', at: 2_000 }])
        expect(store.lastUses('/q')).toEqual([])
        expect(store.lastEdits('/r')).toEqual([])
        clock.set(4_000)
        other.append({
          entries: [batchOf('e', [7]), settledOf('e', 7, [changeOf('a', 'x', 'y')])],
          payloads: payloadsOf('x', 'y'),
          reliance: 'recorded',
        })
        expect(store.lastEdits('/r')).toEqual([{ name: 'other', at: 4_000 }])
        expect([...store.edits({ root: '/r', name: 'other' })].map(({ entry }) => entry.kind)).toEqual([
          'settled',
        ])
        expect([...store.said(key)].map(({ seq }) => seq)).toEqual([1, 2, 3])
        expect([...store.newestFirst(key, 'said')].map(({ seq }) => seq)).toEqual([3, 2, 1])
        expect(store.counts('/r')).toEqual([
          { name: 'other', messages: 0, calls: 1, createdAt: 2_000, updatedAt: 4_000, kinds: ['opened'] },
          { name: 's', messages: 2, calls: 1, createdAt: 1_000, updatedAt: 3_000, kinds: ['said'] },
        ])
        const names = (filter: RecentFilter): readonly string[] =>
          store.counts('/r', filter).map((session) => session.name)
        expect([names({ most: 1 }), names({ name: 's' }), names({ name: 'none' })]).toEqual([
          ['other'],
          ['s'],
          [],
        ])
        expect(store.readTogether(() => [...store.said(key)].map(({ seq }) => seq))).toEqual([1, 2, 3])
        expect(store.paused('/r')).toEqual([])
        log.append({ entries: [{ kind: 'continued', batch: 'b' }], reliance: 'recorded' })
        expect(store.paused('/r')).toEqual(['s'])
        log.append({ entries: [said('tool')], reliance: 'recorded' })
        expect(store.paused('/r')).toEqual([])
        expect([await store.isInUse(key), await store.isInUse({ root: '/r', name: 'none' })]).toEqual([
          true,
          false,
        ])
        log.close()
        expect(await store.isInUse(key)).toBe(false)
      }),
    )

    it(
      'have one owner; another one waits, and gets what the first left',
      withLog(async (log, store) => {
        declareCall(log, 1)
        await expect(store.open(key, 0)).rejects.toMatchObject({ code: 'session_busy' })
        expect(store.owned(key)).toBe(log)
        const waiting = store.open(key, PATIENCE_MS)
        setTimeout(log.close, 20)
        const next = await waiting
        expect(store.owned(key)).toBe(next)
        expect(next.openBatches()).toEqual([{ session: key, batch: 'b1', seq: 1 }])
        next.append({ entries: [settledOf('b1', 1)], reliance: 'durable' })
        expect([...next.entries()].map(({ seq }) => seq)).toEqual([1, 2])
        expect(() => log.append({ entries: [settledOf('b1', 1)], reliance: 'durable' })).toThrow(JournalError)
        expect(() => log.landed('x')).toThrow(JournalError)
        log.close()
        next.close()
        expect(store.owned(key)).toBeNull()
      }),
    )

    it(
      'with names that cannot be shown or stored are refused',
      withLog(async (_, store) => {
        for (const bad of ['', 'a\0b', 'a\nb', '\ud800', 'x'.repeat(201)]) {
          await expect(store.open({ root: '/r', name: bad })).rejects.toMatchObject({ code: 'bad_session' })
        }
        const odd = await store.open({ root: '/r\'"; --', name: 'später ../x' })
        recordCall(odd, 1)
        expect(store.sessions()).toEqual([{ root: '/r\'"; --', name: 'später ../x' }])
      }),
    )

    it(
      'small values are kept with the store',
      withLog((_, store) => {
        expect(store.readValue('x')).toBeNull()
        store.writeValue('x', '1')
        store.writeValue('x', '2')
        expect(store.readValue('x')).toBe('2')
        expect(store.readValue('folded')).toBeNull()
        store.writeValues(
          new Map([
            ['x', '3'],
            ['y', '4'],
          ]),
        )
        expect(['x', 'y'].map(store.readValue)).toEqual(['3', '4'])
      }),
    )
  })

  describe(`${name}: grants`, () => {
    const grant: Grant = SAMPLE_GRANT

    it(
      'an id that was revoked never counts again, also if the same grant is added again',
      withLog((_, { grants }) => {
        grants.add('/r', grant)
        expect(grants.read('/r')).toEqual({ grants: [grant], ignored: [] })
        grants.revoke('/r', 'g1', 2000)
        grants.remove('/r', ['g1'])
        grants.add('/r', grant)
        expect(grants.read('/r')).toMatchObject({ grants: [], ignored: [{ id: 'g1' }] })
        grants.add('/r', { ...grant, id: 'g2' })
        expect(grants.read('/r').grants.map(({ id }) => id)).toEqual(['g2'])
      }),
    )

    it(
      'what becomes of them is no session of a caller',
      withLog((_, store) => {
        store.grants.add('/r', grant)
        store.grants.revoke('/r', 'g1', 2000)
        expect([store.sessions(), store.sessions('/r'), store.recent('/r'), store.openBatches()]).toEqual([
          [],
          [],
          [],
          [],
        ])
      }),
    )
  })

  describe(`${name}: landing marks`, () => {
    it(
      'a commit is not waiting any more once a later one on its file, or its undo, has landed',
      withLog((log) => {
        recordCall(log, 1, [changeOf('a', 'x', 'y')])
        recordCall(log, 2, [changeOf('b', 'x', 'y')])
        recordCall(log, 3, [changeOf('a', 'y', 'z')])
        const waiting = (): readonly string[] => log.unlanded().map((one) => one.execution)
        expect(waiting()).toEqual([execution(1), execution(2), execution(3)])
        log.landed(execution(3))
        expect(waiting()).toEqual([execution(2)])
        const undo = { kind: 'undo', execution: execution(4), calls: [execution(2)], actor: null } as const
        log.append({ entries: [{ ...undo, changes: [changeOf('b', 'y', 'x')] }], reliance: 'durable' })
        expect(waiting()).toEqual([execution(2), execution(4)])
        log.landed(execution(4))
        expect(waiting()).toEqual([])
      }),
    )
  })
}
