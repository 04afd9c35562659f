import { describe, expect, it } from 'vitest'
import { GRANT_CHAIN } from '../../src/journal/grants/grant-chain.ts'
import type { JsonValue } from '../../src/core/json/value.ts'
import type { Entry } from '../../src/journal/entries/entry.ts'
import { forget } from '../../src/journal/erase/forget.ts'
import type { LogStore, SessionLog } from '../../src/journal/log.ts'
import {
  batchOf,
  changeOf,
  content,
  declareCall,
  execution,
  payloadsOf,
  recordCall,
  SAMPLE_GRANT,
  settledOf,
} from './sample-entries.ts'
import { journalErrorOf } from './state-folder.ts'
import type { TamperedStore } from './tampered-store-contract.ts'

const ROOT = '/r'
const KEY = { root: ROOT, name: 's' }
const OTHER = { root: ROOT, name: 'other' }

/** What holds although a program without the key adds entries with right hashes, and changes what the log is found by. */
export function describeOpenEnd(name: string, make: () => TamperedStore): void {
  const withStore = async <T>(
    tampered: TamperedStore,
    use: (store: LogStore) => T | Promise<T>,
  ): Promise<T> => {
    const store = tampered.open()
    try {
      return await use(store)
    } finally {
      store.close()
    }
  }
  const withLog = <T>(tampered: TamperedStore, use: (log: SessionLog) => T, key = KEY): Promise<T> =>
    withStore(tampered, async (store) => use(await store.open(key, 0)))
  const record = (tampered: TamperedStore, from: number, to = from): Promise<void> =>
    withLog(tampered, (log) => {
      for (let number = from; number <= to; number++) recordCall(log, number, [], 'durable')
    })
  const noteOf = (about: string, data: object): Entry => ({
    kind: 'note',
    about,
    execution: null,
    data: data as JsonValue,
  })
  const started: Entry = { kind: 'started', execution: execution(1), effect: 'spawn', idempotencyKey: null }
  /** A command that has begun, and ended if it `hasEnded`, in a session whose process was killed. */
  const leaveBegun = async (tampered: TamperedStore, hasEnded: boolean): Promise<void> => {
    await withLog(tampered, (log) => {
      declareCall(log, 1)
      log.append({ entries: [started], reliance: 'durable' })
      const ended = { ...settledOf('b1', 1), effect: 'spawn' } as const
      if (hasEnded) log.append({ entries: [ended], payloads: payloadsOf('result 1'), reliance: 'recorded' })
    })
    tampered.leaveOpen(KEY)
  }
  const sealing = (tampered: TamperedStore, from: number, to = from) => ({
    spans: [{ from, to, hash: tampered.hashOf(to) }],
    contents: [],
    breach: null,
  })

  describe(`${name}, where another program adds to the end`, () => {
    it('a note that says an entry was repaired does not vouch for it, if Tongs did not write it', async () => {
      const tampered = make()
      await record(tampered, 1, 4)
      tampered.leaveOpen(KEY)
      tampered.addTo(3)
      tampered.addEntry(KEY, noteOf('sealed', sealing(tampered, 3)))
      expect(tampered.verify()).toMatchObject({ ok: false, sealed: 0, first_bad: { seq: 3 } })
      expect(await tampered.repair()).toMatchObject({ ok: true, sealed: [{ entries: 1 }] })
      expect(tampered.verify()).toMatchObject({ ok: true, sealed: 1 })
    })

    it('nor does it vouch for a content that is gone', async () => {
      const tampered = make()
      await record(tampered, 1, 4)
      tampered.leaveOpen(KEY)
      const { digest } = content('result 2')
      tampered.removeContent(digest)
      tampered.addEntry(KEY, noteOf('sealed', { spans: [], contents: [digest], breach: null }))
      expect(tampered.verify()).toMatchObject({ ok: false, sealed: 0, first_bad: { seq: 4 } })
    })

    it('nor does an entry that says it was forgotten, alone or with all before it', async () => {
      for (const span of [undefined, { upTo: 8, before: null }]) {
        const tampered = make()
        await record(tampered, 1, 4)
        tampered.leaveOpen(KEY)
        tampered.removeContent(content('result 2').digest)
        tampered.addEntry(KEY, {
          kind: 'forgotten',
          why: 'call',
          payloads: 1,
          bytes: 8,
          executions: [execution(2)],
          ...(span === undefined ? {} : { span }),
        })
        expect(tampered.verify()).toMatchObject({ ok: false, erased: 1, first_bad: { session: 's' } })
        // What Tongs writes after it does not make it true.
        await record(tampered, 5)
        expect(tampered.verify()).toMatchObject({ ok: false })
        expect(await tampered.repair()).toMatchObject({ ok: true, sealed: [{ contents: 1 }] })
      }
    })

    it('what is said to be forgotten keeps what another call needs', async () => {
      const tampered = make()
      await withLog(tampered, (log) => {
        recordCall(log, 1)
        log.append({ entries: [{ ...settledOf('b1', 1), execution: 'x' }], reliance: 'durable' })
      })
      tampered.leaveOpen(KEY)
      tampered.addEntry(KEY, { kind: 'forgotten', why: 'call', payloads: 1, bytes: 8, executions: ['x'] })
      await withStore(tampered, async (store) => {
        await forget(store, { is: 'call', prefix: execution(1) }, { why: 'test', waitMs: 0 })
        expect(store.payload(content('result 1').digest)).not.toBeNull()
      })
    })

    it('an undo that is added takes nothing back: the call can be undone, and lands if it has not', async () => {
      const tampered = make()
      await withLog(tampered, (log) => recordCall(log, 1, [changeOf('a', 'x', 'y')], 'durable'))
      tampered.leaveOpen(KEY)
      const reverted = { execution: 'u', calls: [execution(1)], changes: [], actor: null } as const
      tampered.addEntry(KEY, { kind: 'undo', ...reverted })
      tampered.addEntry(KEY, {
        ...settledOf('b', 2, [changeOf('a', 'y', 'z')]),
        execution: 'later',
      })
      await withStore(tampered, async (store) => {
        expect(store.unlanded(ROOT).map((one) => one.execution)).toContain(execution(1))
        const log = await store.open(KEY, 0)
        for (const edits of [log.edits(), store.edits(KEY)])
          expect([...edits].map(({ entry }) => entry.kind)).not.toContain('undo')
      })
    })

    it('a result that is added to a command that had begun is named until it is repaired', async () => {
      for (const effect of ['spawn', 'read'] as const) {
        const tampered = make()
        await leaveBegun(tampered, false)
        tampered.addEntry(KEY, { ...settledOf('b1', 1), effect, result: content('args 1').digest })
        expect(tampered.verify()).toMatchObject({ ok: false, first_bad: { session: 's', seq: 3 } })
        expect(await withLog(tampered, (log) => log.breach)).toMatchObject({ seq: 3 })
        await record(tampered, 2)
        expect(tampered.verify()).toMatchObject({ ok: false, first_bad: { seq: 3 } })
        expect(await tampered.repair()).toMatchObject({ ok: true, sealed: [{ breach: 'unsealed' }] })
        expect(await withLog(tampered, (log) => log.breach)).toBeNull()
      }
    })

    it('and so is whatever else is added, such as words, or a call that never ran with its result', async () => {
      const said = { turn: 't1', role: 'user', message: content('args 1').digest, model: null } as const
      for (const added of [
        [{ kind: 'said', ...said }],
        [batchOf('b9', [9]), settledOf('b9', 9)],
        [{ kind: 'voided', turn: 't1', why: 'x' }],
      ] satisfies (readonly Entry[])[]) {
        const tampered = make()
        await leaveBegun(tampered, true)
        for (const entry of added) tampered.addEntry(KEY, entry)
        expect(tampered.verify()).toMatchObject({ ok: false, first_bad: { session: 's', seq: 4 } })
        tampered.claimEnds()
        expect(tampered.verify()).toMatchObject({ ok: false, first_bad: { session: 's' } })
        await record(tampered, 2)
        expect(tampered.verify()).toMatchObject({ ok: false, first_bad: { seq: 4 } })
      }
    })

    it('and so is what is said to wait for its conversations', async () => {
      const tampered = make()
      await leaveBegun(tampered, false)
      tampered.addEntry(KEY, { kind: 'parked', batch: 'b1', executions: [execution(1)] })
      expect(tampered.verify()).toMatchObject({ ok: false, first_bad: { session: 's', seq: 3 } })
      expect(await withStore(tampered, (store) => store.verifies(KEY))).toBe(false)
    })

    it('control: what a killed process recorded of a command is whole', async () => {
      for (const hasEnded of [false, true]) {
        const tampered = make()
        await leaveBegun(tampered, hasEnded)
        expect(tampered.verify()).toMatchObject({ ok: true })
        expect(await withLog(tampered, (log) => log.breach)).toBeNull()
      }
    })

    it('a note of a repair counts only at the place where it was written', async () => {
      const tampered = make()
      await record(tampered, 1, 4)
      tampered.addTo(3)
      await tampered.repair()
      const [note] = await withLog(tampered, (log) => [...log.newestFirst('note')])
      if (note?.entry.kind !== 'note') throw new Error('the repair left no note')
      tampered.leaveOpen(KEY)
      tampered.addTo(5)
      const copied = { ...(note.entry.data as object), ...sealing(tampered, 5) }
      tampered.addEntry(KEY, noteOf('sealed', copied))
      expect(tampered.verify()).toMatchObject({ ok: false, first_bad: { seq: 5 } })
    })

    it('a grant that was revoked stays so, whatever is added about it', async () => {
      const tampered = make()
      await withStore(tampered, ({ grants }) => grants.add(ROOT, SAMPLE_GRANT))
      const given = tampered.hashOf(1)
      const { putGrantsBack } = tampered.copy()
      await withStore(tampered, ({ grants }) => void grants.revoke(ROOT, 'g1', 2000))
      tampered.leaveOpen(GRANT_CHAIN)
      expect(given).not.toBe(tampered.hashOf(2))
      const [event] = await withStore(tampered, (store) => [...store.read(GRANT_CHAIN)])
      if (event?.entry.kind !== 'note') throw new Error('the grant is not on record')
      tampered.addEntry(GRANT_CHAIN, noteOf('sealed', sealing(tampered, 2)))
      tampered.addEntry(GRANT_CHAIN, noteOf('granted', event.entry.data as Record<string, unknown>))
      putGrantsBack()
      await withStore(tampered, ({ grants }) => expect(grants.read(ROOT).grants).toEqual([]))
    })

    it('what is trusted is what a person trusted, not what is added about it', async () => {
      const tampered = make()
      await withStore(tampered, ({ grants }) => grants.noteTrust('what', content('old').digest))
      expect(tampered.trusted()).toEqual(['what'])
      await withStore(tampered, ({ grants }) => grants.noteTrust('what', null))
      tampered.leaveOpen(GRANT_CHAIN)
      tampered.addEntry(GRANT_CHAIN, noteOf('trusted', { what: 'what', as: content('old').digest }))
      expect(tampered.trusted()).toEqual([])
    })
  })

  describe(`${name}, where the tables hide what the log holds`, () => {
    it('a log does not hold from a place on if one of its entries cannot be found', async () => {
      for (const hide of ['hide', 'unlist'] as const) {
        const tampered = make()
        await record(tampered, 1, 4)
        expect(await withLog(tampered, (log) => [log.holdsFrom(1), log.holdsFrom(5)])).toEqual([true, true])
        tampered[hide](4)
        expect(await withLog(tampered, (log) => [log.holdsFrom(1), log.holdsFrom(5)])).toEqual([false, true])
        expect(await withStore(tampered, (store) => store.verifies(KEY, 1))).toBe(false)
        await tampered.repair()
        expect(await withLog(tampered, (log) => log.holdsFrom(1))).toBe(true)
      }
    })

    it('nor if a repair has lost one of them, as a call that has run may look as if it never had', async () => {
      const tampered = make()
      await record(tampered, 1, 4)
      tampered.garble(4)
      await tampered.repair()
      expect(await withLog(tampered, (log) => [log.holdsFrom(1), log.holdsFrom(5)])).toEqual([false, true])
    })

    it('every entry has a place of its own, also if the tables are said to hold more than there is', async () => {
      const tampered = make()
      await record(tampered, 1)
      tampered.overstate()
      await record(tampered, 2, 3)
      await record(tampered, 4)
      const places = await withStore(tampered, (store) => [...store.read(KEY)].map(({ seq }) => seq))
      expect(places).toEqual([1, 2, 3, 4, 5, 6, 7, 8])
      expect(tampered.verify()).toMatchObject({ ok: true })
    })

    it('a session whose end is hidden is not written to until it is repaired', async () => {
      const tampered = make()
      await record(tampered, 1, 2)
      // Reading it has the tables hold it.
      await withLog(tampered, (log) => log.openBatches())
      tampered.dropDerived()
      const error = await journalErrorOf(() => withLog(tampered, () => undefined))
      expect(error).toMatchObject({ code: 'altered' })
      await tampered.repair()
      await record(tampered, 3)
      expect(tampered.verify()).toMatchObject({ ok: true, events: 6 })
    })
  })

  describe(`${name}, forged marks of landings`, () => {
    const unlanded = (tampered: TamperedStore): Promise<readonly string[]> =>
      withStore(tampered, (store) => store.unlanded(ROOT).map((one) => one.execution))

    it('land nothing that another session has written over', async () => {
      const tampered = make()
      await withLog(tampered, (log) => recordCall(log, 1, [changeOf('a', 'x', 'y')], 'durable'))
      expect(await unlanded(tampered)).toEqual([execution(1)])
      const write = (log: SessionLog): void => {
        recordCall(log, 2, [changeOf('a', 'y', 'x')], 'durable')
        log.landed(execution(2))
      }
      await withLog(tampered, write, OTHER)
      expect(await unlanded(tampered)).toEqual([])
    })

    it('but hold back nothing that waits for its folder, because another one has the place of that', async () => {
      const tampered = make()
      const write = (log: SessionLog, number: number, folder: string): void => {
        log.append({
          entries: [
            batchOf(`b${number}`, [number]),
            { ...settledOf(`b${number}`, number, [changeOf('a', 'x', 'y')]), roots: [folder] },
          ],
          reliance: 'durable',
        })
      }
      await withLog(tampered, (log) => write(log, 1, '1 1'))
      const inCopy = (log: SessionLog): void => {
        write(log, 2, '2 2')
        log.landed(execution(2))
      }
      await withLog(tampered, inCopy, OTHER)
      expect(await unlanded(tampered)).toEqual([execution(1)])
    })

    it('control: what was committed and not landed is landed, however often the session was closed since', async () => {
      const tampered = make()
      await withLog(tampered, (log) => recordCall(log, 1, [changeOf('a', 'x', 'y')], 'durable'))
      await record(tampered, 2, 3)
      expect(await unlanded(tampered)).toEqual([execution(1)])
      await withLog(tampered, (log) => log.landed(execution(1)))
      expect(await unlanded(tampered)).toEqual([])
    })
  })
}
