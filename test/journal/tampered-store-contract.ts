import { readFileSync, writeFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import type { Grant } from '../../src/core/grant.ts'
import type { VerifyOptions } from '../../src/journal/chain/verify-store.ts'
import type { VerifyReport } from '../../src/journal/chain/verify-report.ts'
import type { RepairReport } from '../../src/journal/repair/repair-store.ts'
import { forget } from '../../src/journal/erase/forget.ts'
import type { Entry, SessionKey } from '../../src/journal/entries/entry.ts'
import type { LogStore, SessionLog } from '../../src/journal/log.ts'
import {
  batchOf,
  changeOf,
  content,
  execution,
  landingOf,
  payloadsOf,
  recordCall,
  settledOf,
  SAMPLE_GRANT,
} from './sample-entries.ts'
import { journalErrorOf } from './state-folder.ts'
import { seen } from './store-contract.ts'

const ROOT = '/r'
const KEY = { root: ROOT, name: 's' }
const GRANT: Grant = SAMPLE_GRANT

/** A store on disk, and what a program without its key can do to it while it is closed. */
export interface TamperedStore {
  readonly open: (witness?: string) => LogStore
  readonly verify: (options?: VerifyOptions) => VerifyReport
  /** A path outside the store for its witness. */
  readonly witness: string
  /** Copies the whole store; the result puts the copy back. */
  readonly copy: () => {
    readonly restore: () => void
    readonly putGrantsBack: () => void
    /** The whole history of grants, and whatever vouches for its end, but nothing else. */
    readonly putGrantHistoryBack: () => void
    /** One session and whatever vouches for its end, but nothing else. */
    readonly putSessionBack: (name: string) => void
    /** The list of closed sessions. */
    readonly putClosingsBack: () => void
  }
  readonly removeContent: (digest: string) => void
  /** Puts other bytes in the place of a content; whatever names it stays. */
  readonly changeContent: (digest: string, bytes: string) => void
  /** Plants something that does not belong there; the name ends with the one that has to be named. */
  readonly plant: (name: string) => void
  /** Damages the files. */
  readonly spoil: (name: string) => void
  /** Turns an entry into a note that says a repair sealed this very entry; its hash stays. */
  readonly sealItself: (seq: number) => void
  /** Adds something to an entry; what it said stays. */
  readonly addTo: (seq: number) => void
  /** Makes an entry unreadable. */
  readonly garble: (seq: number) => void
  /** Puts an unreadable entry at the end, in place of the one there, which says that it has this hash. */
  readonly claim: (seq: number, hash: string) => void
  /** Removes entries from a place on. */
  readonly cutFrom: (seq: number) => void
  readonly removeEntry: (seq: number) => void
  /** Drops what the store derived from its log. */
  readonly dropDerived: () => void
  readonly repair: () => Promise<RepairReport>
  readonly forgeSeen: (path: string, digest: string) => void
  /** Adds a mark that no version of this program writes. */
  readonly plantMark: (name: string) => void
  /** Makes the list of calls beside an entry unreadable, while the tables do not include the entry. */
  readonly garbleCalls: (seq: number) => void
  /** Says that a call has not landed. */
  readonly forgeUnlanded: (execution: string) => void
  /** Gives an entry's changes another content, without a right hash. */
  readonly forgeChange: (execution: string, digest: string) => void
  /** Replaces a text in an entry and makes the chain anew from there, as a program does that knows how it is made. */
  readonly rewrite: (seq: number, from: string, to: string) => void
  /** Leaves a session as a process that was killed does: its anchor says that entries may follow. */
  readonly leaveOpen: (session: SessionKey) => void
  /** Adds an entry at the end of a session, with a right hash and found by the tables. */
  readonly addEntry: (session: SessionKey, entry: Entry) => void
  /** Says of the newest entry of each session that it is the sealed end. */
  readonly claimEnds: () => void
  /** What a person trusts, by what it is. */
  readonly trusted: () => readonly string[]
  /** The hash of an entry of the first session. */
  readonly hashOf: (seq: number) => string
  /** Files an entry as a note, in the tables alone; the log stays as it is. */
  readonly hide: (seq: number) => void
  /** Has the tables not lead from a call to an entry about it. */
  readonly unlist: (seq: number) => void
  /** Says that the tables hold more of the log than there is. */
  readonly overstate: () => void
  /** Drops the seals of entries that say something about files. */
  readonly dropSeals: () => void
  /** Puts a small value beside the log, by the name under which the store has one already or not. */
  readonly forgeValue: (name: string, value: string) => void
  /** Gives a small value another name, as it is stored. */
  readonly renameValue: (name: string, to: string) => void
}

/** What every store on disk does about tampering, whatever its files look like. */
export function describeTamperedStore(
  name: string,
  make: () => TamperedStore,
  {
    plants,
    damages,
    marks,
  }: {
    readonly plants: readonly string[]
    readonly damages: readonly string[]
    readonly marks: readonly string[]
  },
): void {
  const withStore = async (
    tampered: TamperedStore,
    use: (store: LogStore) => void | Promise<void>,
    witness?: string,
  ): Promise<void> => {
    const store = tampered.open(witness)
    try {
      await use(store)
    } finally {
      store.close()
    }
  }
  const record = (tampered: TamperedStore, from: number, to = from, witness?: string): Promise<void> =>
    withStore(
      tampered,
      async (store) => {
        const log = await store.open(KEY, 0)
        for (let number = from; number <= to; number++) recordCall(log, number, [], 'durable')
      },
      witness,
    )
  const whyBad = (tampered: TamperedStore, options?: VerifyOptions): string =>
    tampered.verify(options).first_bad?.why ?? ''

  describe(`${name}, grants`, () => {
    it('the old record of a revoked grant does not count, and is named', async () => {
      const tampered = make()
      await withStore(tampered, ({ grants }) => grants.add(ROOT, GRANT))
      const { putGrantsBack } = tampered.copy()
      await withStore(tampered, ({ grants }) => {
        expect(grants.revoke(ROOT, 'g1', 2000)).toMatchObject({ revoked_at: 2000 })
      })
      expect(tampered.verify()).toMatchObject({ ok: true, sessions: 0 })
      putGrantsBack()
      await withStore(tampered, ({ grants }) =>
        expect(grants.read(ROOT)).toMatchObject({ grants: [], ignored: [{ id: 'g1' }] }),
      )
      expect(whyBad(tampered)).toContain('grant g1')
    })

    it('the history of grants put back alone brings no revoked grant back in a session that was used since', async () => {
      const tampered = make()
      await withStore(tampered, ({ grants }) => grants.add(ROOT, GRANT))
      await record(tampered, 1)
      const { putGrantHistoryBack } = tampered.copy()
      await withStore(tampered, ({ grants }) => void grants.revoke(ROOT, 'g1', 2000))
      await record(tampered, 2)
      putGrantHistoryBack()
      await withStore(tampered, async (store) => {
        await store.open(KEY, 0)
        expect(store.grants.read(ROOT)).toMatchObject({ grants: [], ignored: [{ id: 'g1' }] })
      })
      expect(tampered.verify()).toMatchObject({ ok: false, first_bad: { session: 'grants', seq: 2 } })
      expect(await tampered.repair()).toMatchObject({ ok: true, drops_grants: true })
      await withStore(tampered, ({ grants }) => {
        expect(grants.read(ROOT).grants).toEqual([])
        grants.add(ROOT, { ...GRANT, id: 'g2' })
      })
      await record(tampered, 3)
      expect(tampered.verify()).toMatchObject({ ok: true })
    })

    it('a revoking that claims to be sealed by itself does not bring the grant back', async () => {
      const tampered = make()
      await withStore(tampered, ({ grants }) => grants.add(ROOT, GRANT))
      const { putGrantsBack } = tampered.copy()
      await withStore(tampered, ({ grants }) => void grants.revoke(ROOT, 'g1', 2000))
      tampered.sealItself(2)
      putGrantsBack()
      await withStore(tampered, ({ grants }) => expect(grants.read(ROOT).grants).toEqual([]))
      expect(tampered.verify()).toMatchObject({ ok: false, first_bad: { seq: 2 } })
    })

    it('a record whose giving the chain does not hold does not count', async () => {
      const tampered = make()
      await withStore(tampered, ({ grants }) => grants.add(ROOT, GRANT))
      const { restore } = tampered.copy()
      await withStore(tampered, ({ grants }) => {
        grants.revoke(ROOT, 'g1', 2000)
        grants.add(ROOT, { ...GRANT, id: 'g2' })
      })
      const { putGrantsBack } = tampered.copy()
      restore()
      putGrantsBack()
      await withStore(tampered, ({ grants }) =>
        expect(grants.read(ROOT).grants.map(({ id }) => id)).not.toContain('g2'),
      )
    })

    it('control: grants that nobody touched hold in the next process, and in one that runs meanwhile', async () => {
      const tampered = make()
      const other = tampered.open()
      await withStore(tampered, ({ grants }) => {
        grants.add(ROOT, GRANT)
        grants.add('/q', { ...GRANT, id: 'g2' })
        expect(other.grants.read(ROOT).grants).toEqual([GRANT])
        other.grants.add(ROOT, { ...GRANT, id: 'g3' })
        expect(grants.read(ROOT).grants.map(({ id }) => id)).toEqual(['g1', 'g3'])
        expect(other.grants.revoke(ROOT, 'g1', 9)).not.toBeNull()
        expect(grants.read(ROOT).grants.find(({ id }) => id === 'g1')).toMatchObject({ revoked_at: 9 })
      })
      other.close()
      await withStore(tampered, ({ grants }) => {
        expect(grants.read('/q').grants.map(({ id }) => id)).toEqual(['g2'])
        expect(grants.read(ROOT).ignored).toEqual([])
      })
      expect(tampered.verify()).toMatchObject({ ok: true, sessions: 0, events: 4 })
    })
  })

  describe(`${name}, contents`, () => {
    it('one that is missing without a word is named; one that was forgotten is counted', async () => {
      const tampered = make()
      await record(tampered, 1, 6)
      await withStore(tampered, async (store) => {
        const options = { why: 'test', waitMs: 0 }
        await forget(store, { is: 'call', prefix: execution(2) }, options)
      })
      expect(tampered.verify()).toMatchObject({ ok: true, erased: 2 })
      tampered.removeContent(content('result 5').digest)
      expect(tampered.verify()).toMatchObject({ ok: false, erased: 3, first_bad: { session: 's', seq: 10 } })
      expect(whyBad(tampered)).toContain('missing')
      await withStore(tampered, async (store) => {
        await forget(store, { is: 'session', session: KEY }, { why: 'test', waitMs: 0 })
      })
      expect(tampered.verify()).toMatchObject({ ok: true })
      await record(tampered, 9)
      tampered.removeContent(content('args 9').digest)
      expect(tampered.verify()).toMatchObject({ ok: false, first_bad: { seq: 15 } })
    })

    it('one that was changed is never handed out, is named, and the others are', async () => {
      const tampered = make()
      await record(tampered, 1, 2)
      const { digest, bytes } = content('args 1')
      await withStore(tampered, async (store) => {
        const log = await store.open(KEY, 0)
        expect([store.payload(digest), log.payload(digest)]).toEqual([bytes, bytes])
      })
      tampered.changeContent(digest, 'something else')
      await withStore(tampered, async (store) => {
        const log = await store.open(KEY, 0)
        expect([store.payload(digest), log.payload(digest)]).toEqual([null, null])
        expect(log.payload(content('args 2').digest)).toEqual(content('args 2').bytes)
      })
      expect(whyBad(tampered)).toContain('payload that was changed')
    })

    it('what two sessions share is missed by neither once both have forgotten it, nor if one of them is busy', async () => {
      const tampered = make()
      const other = { root: ROOT, name: 'other' }
      await withStore(tampered, async (store) => {
        for (const log of [await store.open(KEY, 0), await store.open(other, 0)])
          log.append({
            entries: [{ ...settledOf('b', 1), execution: `x-${log.key.name}` }],
            payloads: payloadsOf('result 1'),
            reliance: 'durable',
          })
      })
      await withStore(tampered, async (store) => {
        const owner = tampered.open()
        await owner.open(other, 0)
        const selection = { is: 'before', time: Date.now() + 1000 } as const
        await forget(store, selection, { why: 'test', waitMs: 0, skipsBusy: true })
        owner.close()
        expect(tampered.verify()).toMatchObject({ ok: true, erased: 0 })
        await forget(store, selection, { why: 'test', waitMs: 0 })
      })
      expect(tampered.verify()).toMatchObject({ ok: true, erased: 1 })
    })
  })

  describe(`${name}, what does not belong there`, () => {
    for (const planted of plants) {
      it(`${planted} is refused when the store is opened, and named by the check`, async () => {
        const tampered = make()
        await record(tampered, 1, 3)
        tampered.plant(planted)
        const error = await journalErrorOf(() => tampered.open())
        expect(error).toMatchObject({ code: 'altered' })
        expect(error.message).toContain(planted.split(' ').at(-1))
        expect(tampered.verify()).toMatchObject({ ok: false })
        expect(whyBad(tampered)).toContain(planted.split(' ').at(-1))
      })
    }
  })

  describe(`${name}, damage`, () => {
    for (const damage of damages) {
      it(`${damage} does not pass as whole`, async () => {
        const tampered = make()
        await record(tampered, 1, 400)
        await withStore(tampered, async (store) => {
          await forget(store, { is: 'call', prefix: execution(2) }, { why: 'test', waitMs: 0 })
        })
        expect(tampered.verify()).toMatchObject({ ok: true })
        tampered.spoil(damage)
        expect(tampered.verify()).toMatchObject({ ok: false })
        expect(whyBad(tampered)).not.toBe('')
      })
    }
  })

  describe(`${name}, restored as a whole`, () => {
    it('a known head is missed, in the whole and in a session', async () => {
      const tampered = make()
      await record(tampered, 1, 3)
      const { restore } = tampered.copy()
      const first = tampered.verify().head
      await record(tampered, 4, 5)
      const second = tampered.verify()
      const inSession = tampered.verify({ session: KEY })
      expect(first).toMatchObject({ events: 6 })
      expect(second.head).toMatchObject({ events: 10 })
      expect(tampered.verify({ since: first?.hash })).toMatchObject({ ok: true, since: { entries_after: 4 } })
      expect(tampered.verify({ since: second.head?.hash })).toMatchObject({
        ok: true,
        since: { entries_after: 0 },
      })
      expect(tampered.verify({ since: inSession.head?.hash })).toMatchObject({ ok: true })
      restore()
      expect(tampered.verify()).toMatchObject({ ok: true, head: first })
      for (const { hash } of [second.head, inSession.head].flatMap((head) => head ?? [])) {
        expect(tampered.verify({ since: hash })).toMatchObject({ ok: false, since: null })
        expect(whyBad(tampered, { since: hash })).toContain(hash)
      }
      await record(tampered, 4, 5)
      expect(tampered.verify({ since: second.head?.hash })).toMatchObject({ ok: false })
    })

    it('a witness elsewhere knows better', async () => {
      const tampered = make()
      const { witness } = tampered
      await record(tampered, 1, 3, witness)
      const { restore } = tampered.copy()
      await record(tampered, 4, 5, witness)
      expect(tampered.verify({ witness })).toMatchObject({
        ok: true,
        witness: { heads: 2, other_journals: 0 },
      })
      restore()
      expect(tampered.verify()).toMatchObject({ ok: true })
      expect(tampered.verify({ witness })).toMatchObject({ ok: false, first_bad: { session: 's', seq: 7 } })
      expect(whyBad(tampered, { witness })).toContain('witness')
      await record(tampered, 6, 9, witness)
      expect(tampered.verify({ witness })).toMatchObject({ ok: false })
    })

    it('a known head is missed even if a damaged entry that was sealed says that it has its hash', async () => {
      const tampered = make()
      await record(tampered, 1, 3)
      const { restore } = tampered.copy()
      await record(tampered, 4, 5)
      const whole = tampered.verify().head?.hash ?? ''
      const inSession = tampered.verify({ session: KEY }).head?.hash ?? ''
      for (const [hash, seq] of [
        [whole, 6],
        [inSession, 6],
        [inSession, 10],
      ] as const) {
        restore()
        tampered.claim(seq, hash)
        expect(await tampered.repair()).toMatchObject({ ok: true })
        expect(tampered.verify()).toMatchObject({ ok: true })
        for (const session of [undefined, KEY]) {
          const options = { since: hash, ...(session === undefined ? {} : { session }) }
          expect(tampered.verify(options)).toMatchObject({ ok: false, since: null })
          expect(whyBad(tampered, options)).toContain('sealed')
        }
        await record(tampered, 6)
        expect(tampered.verify({ since: hash })).toMatchObject({ ok: false })
      }
    })

    it('a witness is not satisfied by damaged entries that were sealed with the hashes it knows', async () => {
      const tampered = make()
      const { witness } = tampered
      await record(tampered, 1, 3, witness)
      const { restore } = tampered.copy()
      for (const number of [4, 5]) await record(tampered, number, number, witness)
      restore()
      for (const [, , , seq, hash] of readFileSync(witness, 'utf8')
        .split('\n')
        .map((line) => line.split(' ')))
        if (Number(seq) > 6) tampered.claim(Number(seq), hash ?? '')
      expect(await tampered.repair()).toMatchObject({ ok: true, sealed: [{ entries: 4 }] })
      expect(tampered.verify()).toMatchObject({ ok: true, sealed: 4 })
      expect(tampered.verify({ witness })).toMatchObject({ ok: false, first_bad: { session: 's', seq: 8 } })
      expect(whyBad(tampered, { witness })).toContain('sealed')
      await record(tampered, 6, 9, witness)
      expect(tampered.verify({ witness })).toMatchObject({ ok: false, first_bad: { seq: 8 } })
    })

    it('control: a head and a witness from after a sealed entry still hold', async () => {
      const tampered = make()
      const { witness } = tampered
      await record(tampered, 1, 3, witness)
      const since = tampered.verify().head?.hash
      tampered.garble(3)
      expect(await tampered.repair()).toMatchObject({ ok: true, sealed: [{ entries: 1 }] })
      await record(tampered, 4, 5, witness)
      expect(tampered.verify({ since, witness })).toMatchObject({
        ok: true,
        sealed: 1,
        since: { entries_after: 5 },
      })
    })

    it('so is a grant that was revoked since the copy', async () => {
      const tampered = make()
      const { witness } = tampered
      await withStore(tampered, ({ grants }) => grants.add(ROOT, GRANT), witness)
      const { restore } = tampered.copy()
      await withStore(tampered, ({ grants }) => void grants.revoke(ROOT, 'g1', 2000), witness)
      expect(tampered.verify({ witness })).toMatchObject({ ok: true })
      restore()
      expect(tampered.verify({ witness })).toMatchObject({ ok: false })
    })

    it('another journal in its place is missed by the witness, and so is none at all', async () => {
      const [tampered, other] = [make(), make()]
      const { witness } = tampered
      await record(tampered, 1, 3, witness)
      await record(other, 1, 3)
      expect(whyBad(other, { witness })).toContain('another journal')
      expect(make().verify({ witness })).toMatchObject({ ok: false })
      expect(make().verify()).toMatchObject({ ok: true, head: null })
      await record(other, 4, 5, witness)
      expect(whyBad(other, { witness })).toContain('knew another journal before this one')
      expect(tampered.verify({ witness })).toMatchObject({
        ok: true,
        witness: { heads: 1, other_journals: 1 },
      })
    })

    it('a witness that was emptied vouches for nothing', async () => {
      const tampered = make()
      await record(tampered, 1, 3, tampered.witness)
      expect(tampered.verify({ witness: tampered.witness })).toMatchObject({ ok: true })
      writeFileSync(tampered.witness, '')
      expect(whyBad(tampered, { witness: tampered.witness })).toContain('knows nothing')
      await record(tampered, 4, 4, tampered.witness)
      expect(tampered.verify({ witness: tampered.witness })).toMatchObject({ ok: true })
    })

    it('a witness that cannot be reached stops no work, and no check passes without it', async () => {
      const tampered = make()
      const gone = `${tampered.witness}/is/not/there`
      await record(tampered, 1, 3, gone)
      expect(tampered.verify()).toMatchObject({ ok: true, events: 6 })
      expect(whyBad(tampered, { witness: gone })).toContain('cannot be read')
    })

    it('control: a process that goes on for long is known by more than its end', async () => {
      const tampered = make()
      const { witness } = tampered
      await record(tampered, 1, 200, witness)
      const { witness: told } = tampered.verify({ witness })
      expect(told?.heads).toBeGreaterThan(3)
      expect(told?.heads).toBeLessThan(20)
    })
  })

  describe(`${name}, one session put back to an older state`, () => {
    const recordIn = (tampered: TamperedStore, session: string, number: number): Promise<void> =>
      withStore(tampered, async (store) => {
        recordCall(await store.open({ root: ROOT, name: session }, 0), number, [], 'durable')
      })

    it('it is named, alone and with the whole, when it is opened, and whatever follows', async () => {
      const tampered = make()
      await recordIn(tampered, 's', 1)
      const { putSessionBack } = tampered.copy()
      await recordIn(tampered, 's', 2)
      expect(tampered.verify()).toMatchObject({ ok: true, events: 4 })
      putSessionBack('s')
      const bad = { ok: false, first_bad: { session: 's', seq: 3 } }
      expect(tampered.verify()).toMatchObject(bad)
      expect(tampered.verify({ session: KEY })).toMatchObject(bad)
      await withStore(tampered, async (store) => {
        const log = await store.open(KEY, 0)
        expect(log.breach).toMatchObject({ seq: 3 })
        for (const number of [5, 6, 7]) recordCall(log, number, [], 'durable')
      })
      expect(tampered.verify()).toMatchObject(bad)
      await recordIn(tampered, 'other', 8)
      expect(tampered.verify()).toMatchObject(bad)
      expect(await tampered.repair()).toMatchObject({ ok: true, sealed: [{ session: 's', breach: 'cut' }] })
      await recordIn(tampered, 's', 9)
      expect(tampered.verify()).toMatchObject({ ok: true, breaches: 1 })
    })

    it('the end of a closed session cannot be cut off, even if nothing in it had to be durable', async () => {
      const tampered = make()
      await recordIn(tampered, 's', 1)
      await withStore(tampered, async (store) => {
        recordCall(await store.open(KEY, 0), 2, [], 'recorded')
      })
      expect(tampered.verify()).toMatchObject({ ok: true, events: 4 })
      tampered.cutFrom(4)
      expect(tampered.verify()).toMatchObject({ ok: false, first_bad: { session: 's', seq: 4 } })
    })

    it('it is named if it was put back to a moment when it was in use', async () => {
      const tampered = make()
      await recordIn(tampered, 's', 1)
      let putBack: () => void = () => undefined
      await withStore(tampered, async (store) => {
        const log = await store.open(KEY, 0)
        recordCall(log, 2, [], 'durable')
        const { putSessionBack } = tampered.copy()
        putBack = () => putSessionBack('s')
        recordCall(log, 3, [], 'durable')
      })
      putBack()
      expect(tampered.verify()).toMatchObject({ ok: false, first_bad: { session: 's', seq: 5 } })
    })

    it('together with the list of closed sessions it is noticed by every session that was closed since', async () => {
      const tampered = make()
      await recordIn(tampered, 's', 1)
      await recordIn(tampered, 'other', 2)
      const { putSessionBack, putClosingsBack } = tampered.copy()
      await recordIn(tampered, 's', 3)
      await recordIn(tampered, 'other', 4)
      await recordIn(tampered, 'third', 5)
      putSessionBack('s')
      putClosingsBack()
      expect(tampered.verify()).toMatchObject({ ok: false })
      await recordIn(tampered, 's', 6)
      await recordIn(tampered, 'fourth', 7)
      expect(tampered.verify()).toMatchObject({ ok: false })
      await withStore(tampered, async (store) => {
        const log = await store.open({ root: ROOT, name: 'third' }, 0)
        expect(log.breach).not.toBeNull()
        recordCall(log, 8, [], 'durable')
      })
      await recordIn(tampered, 'other', 9)
      expect(tampered.verify()).toMatchObject({ ok: false })
      expect(await tampered.repair()).toMatchObject({ ok: true, drops_grants: true })
      await recordIn(tampered, 's', 10)
      await recordIn(tampered, 'third', 11)
      const { ok, breaches } = tampered.verify()
      expect({ ok, isTold: breaches > 0 }).toEqual({ ok: true, isTold: true })
    })

    it('neither does the history of grants come back with the list of closed sessions', async () => {
      const tampered = make()
      await withStore(tampered, ({ grants }) => grants.add(ROOT, GRANT))
      await record(tampered, 1)
      const { putGrantHistoryBack, putClosingsBack } = tampered.copy()
      await withStore(tampered, ({ grants }) => void grants.revoke(ROOT, 'g1', 2000))
      await record(tampered, 2)
      putGrantHistoryBack()
      putClosingsBack()
      await withStore(tampered, async (store) => {
        await store.open(KEY, 0)
        expect(store.grants.read(ROOT)).toMatchObject({ grants: [], ignored: [{ id: 'g1' }] })
      })
      expect(tampered.verify()).toMatchObject({ ok: false })
    })

    it('control: sessions that are used in turn, at the same time, only read or left by a killed process verify', async () => {
      const tampered = make()
      const [one, two] = [tampered.open(), tampered.open()]
      const first = await one.open(KEY, 0)
      const second = await two.open({ root: ROOT, name: 'other' }, 0)
      recordCall(first, 1, [], 'durable')
      recordCall(second, 2, [], 'durable')
      const { restore } = tampered.copy()
      first.close()
      recordCall(second, 3, [], 'durable')
      one.close()
      two.close()
      await withStore(tampered, async (store) => void (await store.open(KEY, 0)))
      expect(tampered.verify()).toMatchObject({ ok: true, events: 6 })
      restore()
      expect(tampered.verify()).toMatchObject({ ok: true, events: 4 })
      await recordIn(tampered, 's', 4)
      await recordIn(tampered, 'other', 5)
      expect(tampered.verify()).toMatchObject({ ok: true, events: 8 })
    })
  })

  describe(`${name}, marks beside the chain`, () => {
    it('a forged row in the ledger entitles to nothing; a true one does', async () => {
      const tampered = make()
      await withStore(tampered, async (store) => {
        const log = await store.open(KEY, 0)
        recordCall(log, 1, [], 'durable')
        log.append({ entries: [], seen: [seen('/r/true', 'd1', null)], reliance: 'durable' })
        log.openBatches()
      })
      tampered.forgeSeen('/r/forged', 'd1')
      tampered.forgeSeen('/r/true', 'd2')
      await withStore(tampered, async (store) => {
        const log = await store.open(KEY, 0)
        expect(log.ledger('/r/forged')).toBeNull()
        expect(log.ledger('/r/true')).toBeNull()
        log.append({ entries: [], seen: [seen('/r/true', 'd2', null)], reliance: 'durable' })
        log.openBatches()
      })
      await withStore(tampered, async (store) => {
        expect((await store.open(KEY, 0)).ledger('/r/true')).toMatchObject({ digest: 'd2', ranges: null })
      })
    })

    for (const mark of marks) {
      it(`${mark} stops no session, is named, and goes with a repair`, async () => {
        const tampered = make()
        await record(tampered, 1, 2)
        tampered.plantMark(mark)
        expect(whyBad(tampered)).toContain('cannot be read')
        await withStore(tampered, async (store) => {
          const log = await store.open({ root: ROOT, name: 'other' }, 0)
          recordCall(log, 10, [], 'durable')
          log.append({ entries: [], seen: [seen('a.txt', 'a', null, 5)], reliance: 'durable' })
        })
        await withStore(tampered, (store) => {
          expect(store.ledger({ root: ROOT, name: 'other' }, 'a.txt')).toMatchObject({ at: 5 })
          expect([...store.read(KEY)]).toHaveLength(4)
        })
        expect(whyBad(tampered)).toContain('cannot be read')
        expect(await tampered.repair()).toMatchObject({ ok: true, sealed: [] })
        await record(tampered, 3)
        expect(tampered.verify()).toMatchObject({ ok: true, events: 8 })
      })
    }

    it('an unreadable list of calls beside an entry stops no session, is named, and a repair makes it anew', async () => {
      const tampered = make()
      await record(tampered, 1, 2)
      tampered.garbleCalls(3)
      expect(tampered.verify()).toMatchObject({ ok: false, first_bad: { seq: 3 } })
      await record(tampered, 3)
      await withStore(tampered, (store) => {
        expect([...store.read(KEY)]).toHaveLength(6)
        expect(store.counts(ROOT)).toHaveLength(1)
      })
      expect(tampered.verify()).toMatchObject({ ok: false, first_bad: { seq: 3 } })
      expect(await tampered.repair()).toMatchObject({ ok: true, sealed: [] })
      expect(tampered.verify()).toMatchObject({ ok: true, events: 6 })
    })

    it('a forged landing mark lands nothing that was undone or written over, and no change that was forged', async () => {
      const tampered = make()
      await withStore(tampered, async (store) => {
        const log = await store.open(KEY, 0)
        recordCall(log, 1, [changeOf('a', 'x', 'y')], 'durable')
        log.landed(execution(1))
        const undo = { kind: 'undo', execution: execution(2), calls: [execution(1)], actor: null } as const
        log.append({ entries: [{ ...undo, changes: [changeOf('a', 'y', 'x')] }], reliance: 'durable' })
        log.landed(execution(2))
        recordCall(log, 3, [changeOf('b', 'x', 'y')], 'durable')
        log.landed(execution(3))
        recordCall(log, 4, [changeOf('b', 'y', 'x')], 'durable')
        log.landed(execution(4))
        recordCall(log, 5, [changeOf('c', 'x', 'y')], 'durable')
        log.openBatches()
      })
      const unlanded = async (): Promise<readonly string[]> => {
        let found: readonly string[] = []
        await withStore(tampered, async (store) => {
          found = (await store.open(KEY, 0)).unlanded().map((one) => one.execution)
        })
        return found
      }
      expect(await unlanded()).toEqual([execution(5)])
      tampered.forgeUnlanded(execution(1))
      tampered.forgeUnlanded(execution(3))
      expect(await unlanded()).toEqual([execution(5)])
      tampered.forgeChange(execution(5), content('evil').digest)
      expect(await unlanded()).toEqual([])
    })
  })

  describe(`${name}, what undo relies on`, () => {
    it('an entry vouches for its changes only as it was recorded, whatever came after it', async () => {
      const tampered = make()
      await withStore(tampered, async (store) => {
        const log = await store.open(KEY, 0)
        recordCall(log, 1, [changeOf('a', 'x', 'y')], 'durable')
        recordCall(log, 2, [changeOf('b', 'x', 'y')], 'durable')
        recordCall(log, 3, [], 'durable')
      })
      const vouched = async (): Promise<readonly boolean[]> => {
        const log: boolean[] = []
        await withStore(tampered, async (store) => {
          const session = await store.open(KEY, 0)
          log.push(...[2, 4].map(session.vouchesFor))
        })
        return log
      }
      expect(await vouched()).toEqual([true, true])
      tampered.forgeChange(execution(1), content('evil').digest)
      expect(await vouched()).toEqual([false, true])
      tampered.garble(6)
      expect(await vouched()).toEqual([false, true])
    })
  })

  describe(`${name}, entries that were rewritten with right hashes`, () => {
    const evil = content('evil').digest
    const use = async <T>(tampered: TamperedStore, ask: (log: SessionLog) => T): Promise<T> => {
      const store = tampered.open()
      try {
        return ask(await store.open(KEY, 0))
      } finally {
        store.close()
      }
    }
    const unlandedIn = (log: SessionLog): readonly string[] => log.unlanded().map((one) => one.execution)

    it('a commit that has not landed is landed only as it was recorded', async () => {
      const tampered = make()
      await use(tampered, (log) => {
        recordCall(log, 1, [changeOf('a', 'x', 'y')], 'durable')
        recordCall(log, 2, [], 'durable')
      })
      expect(await use(tampered, unlandedIn)).toEqual([execution(1)])
      tampered.rewrite(2, content('y').digest, evil)
      expect(await use(tampered, unlandedIn)).toEqual([])
      tampered.dropSeals()
      expect(await use(tampered, unlandedIn)).toEqual([])
    })

    it('vouches for what an entry says about files by its seal alone, however right its hash is', async () => {
      const tampered = make()
      await use(tampered, (log) => {
        recordCall(log, 1, [changeOf('a', 'x', 'y')], 'durable')
        expect(log.vouchesFor(2)).toBe(true)
      })
      tampered.dropSeals()
      await use(tampered, (log) => {
        expect(log.breach).toBeNull()
        expect(log.holdsFrom(2)).toBe(true)
        expect(log.vouchesFor(2)).toBe(false)
      })
    })

    it('a small value that another program wrote or renamed does not count, so no root has the history of another', async () => {
      const tampered = make()
      const own = JSON.stringify({ recordedAs: '/r', former: ['/r'] })
      await withStore(tampered, (store) => {
        store.writeValue('root /n', own)
        store.writeValue('x', '1')
        expect(store.readValue('root /n')).toBe(own)
      })
      tampered.forgeValue('root /v', own)
      tampered.forgeValue('x', '2')
      tampered.renameValue('root /n', 'root /w')
      await withStore(tampered, (store) => {
        expect(['root /v', 'x', 'root /w', 'root /n'].map(store.readValue)).toEqual([null, null, null, null])
        store.writeValue('x', '3')
        expect(store.readValue('x')).toBe('3')
      })
    })

    for (const [what, drops] of [
      ['', false],
      [', nor if its seal is gone', true],
    ] as const)
      it(`a repair does not vouch for what was rewritten before it${what}`, async () => {
        const tampered = make()
        await use(tampered, (log) => {
          recordCall(log, 1, [changeOf('a', 'x', 'y')], 'durable')
          log.append({ entries: [landingOf(2)], payloads: payloadsOf('x', 'y', 'rest'), reliance: 'durable' })
          recordCall(log, 3, [], 'durable')
          expect([2, 3].map(log.vouchesFor)).toEqual([true, true])
          expect(log.holdsFrom(1)).toBe(true)
        })
        for (const seq of [2, 3]) tampered.rewrite(seq, content('y').digest, content('x').digest)
        if (drops) tampered.dropSeals()
        expect(tampered.verify()).toMatchObject({ ok: false })
        expect(await tampered.repair()).toMatchObject({ ok: true, sealed: [{ breach: 'rewritten' }] })
        await use(tampered, (log) => {
          expect(log.breach).toBeNull()
          expect([2, 3].map(log.vouchesFor)).toEqual([false, false])
          expect(log.holdsFrom(1)).toBe(false)
          expect(unlandedIn(log)).toEqual([])
          recordCall(log, 4, [changeOf('b', 'x', 'y')], 'durable')
          expect(log.vouchesFor(log.latestSeq())).toBe(true)
          expect(log.holdsFrom(log.latestSeq() - 1)).toBe(true)
          expect(unlandedIn(log)).toEqual([execution(4)])
        })
      })
  })

  describe(`${name}, after damage`, () => {
    for (const seq of [1, 3, 4, 8]) {
      it(`an unreadable entry (${seq} of 8) closes nothing, and a repair seals it`, async () => {
        const tampered = make()
        await record(tampered, 1, 4)
        tampered.garble(seq)
        expect(tampered.verify()).toMatchObject({ ok: false, first_bad: { seq } })
        await withStore(tampered, async (store) => {
          const log = await store.open(KEY, 0)
          const about = [...log.entries()].map(({ entry }) =>
            entry.kind === 'note' ? entry.about : entry.kind,
          )
          expect(about.filter((word) => word === 'damaged')).toHaveLength(1)
          expect(about[seq - 1]).toBe('damaged')
          recordCall(log, 5, [], 'durable')
          expect([...log.newestFirst()].map((stored) => stored.seq).slice(0, 2)).toEqual([10, 9])
        })
        await withStore(tampered, async (store) => {
          const forgotten = await forget(
            store,
            { is: 'call', prefix: execution(5) },
            { why: 'test', waitMs: 0 },
          )
          expect(forgotten).toMatchObject({ ok: true, payloads: 2 })
        })
        expect(tampered.verify()).toMatchObject({ ok: false, first_bad: { seq } })
        expect(await tampered.repair()).toMatchObject({
          ok: true,
          sealed: [{ session: 's', entries: 1, contents: 0, breach: null }],
        })
        expect(tampered.verify()).toMatchObject({ ok: true, sealed: 1 })
        expect(await tampered.repair()).toMatchObject({ ok: true, sealed: [] })
        await record(tampered, 6, 9)
        expect(tampered.verify()).toMatchObject({ ok: true, sealed: 1 })
        tampered.garble(11)
        expect(tampered.verify()).toMatchObject({ ok: false, first_bad: { seq: 11 } })
      })
    }

    it('what is missing from the middle or cut from the end is sealed, and named until then', async () => {
      const tampered = make()
      await record(tampered, 1, 6)
      tampered.removeEntry(5)
      tampered.cutFrom(11)
      expect(tampered.verify()).toMatchObject({ ok: false, first_bad: { seq: 5 } })
      expect(await tampered.repair()).toMatchObject({ ok: true, sealed: [{ entries: 2, breach: 'cut' }] })
      await record(tampered, 7, 8)
      expect(tampered.verify()).toMatchObject({ ok: true, sealed: 2 })
      tampered.cutFrom(14)
      expect(tampered.verify()).toMatchObject({ ok: false, first_bad: { seq: 14 } })
    })

    it('an end that was cut off is still told after a repair, whatever follows', async () => {
      const tampered = make()
      await record(tampered, 1, 4)
      tampered.cutFrom(7)
      expect(tampered.verify()).toMatchObject({ ok: false, first_bad: { seq: 7 } })
      expect(await tampered.repair()).toMatchObject({ ok: true, sealed: [{ entries: 0, breach: 'cut' }] })
      await record(tampered, 5)
      expect(tampered.verify()).toMatchObject({ ok: true, sealed: 0, breaches: 1 })
    })

    for (const seq of [1, 4, 8]) {
      it(`no entry vouches for itself (${seq} of 8)`, async () => {
        const tampered = make()
        await record(tampered, 1, 4)
        tampered.sealItself(seq)
        expect(tampered.verify()).toMatchObject({ ok: false, first_bad: { seq } })
        expect(await tampered.repair()).toMatchObject({ ok: true, sealed: [{ entries: 1 }] })
        expect(tampered.verify()).toMatchObject({ ok: true, sealed: 1 })
      })
    }

    it('a seal that was itself changed is sealed again together with what it covered', async () => {
      const tampered = make()
      await record(tampered, 1, 4)
      tampered.garble(3)
      expect(await tampered.repair()).toMatchObject({ ok: true, sealed: [{ entries: 1 }] })
      await record(tampered, 5)
      tampered.sealItself(9)
      expect(tampered.verify()).toMatchObject({ ok: false })
      expect(await tampered.repair()).toMatchObject({ ok: true })
      expect(tampered.verify()).toMatchObject({ ok: true, sealed: 2 })
      tampered.sealItself(6)
      expect(tampered.verify()).toMatchObject({ ok: false, first_bad: { seq: 6 } })
    })

    it('one repair is enough for a seal that was changed and still says what it covered', async () => {
      const tampered = make()
      await record(tampered, 1, 4)
      tampered.garble(3)
      await tampered.repair()
      await record(tampered, 5)
      tampered.garble(4)
      await tampered.repair()
      await record(tampered, 6)
      tampered.addTo(9)
      tampered.addTo(12)
      expect(tampered.verify()).toMatchObject({ ok: false })
      expect(await tampered.repair()).toMatchObject({ ok: true, sealed: [{ session: 's' }] })
      expect(tampered.verify()).toMatchObject({ ok: true })
    })

    it('contents that are gone are sealed with the session that names them', async () => {
      const tampered = make()
      await record(tampered, 1, 3)
      tampered.removeContent(content('result 2').digest)
      expect(await tampered.repair()).toMatchObject({ ok: true, sealed: [{ entries: 0, contents: 1 }] })
      tampered.removeContent(content('result 3').digest)
      expect(tampered.verify()).toMatchObject({ ok: false, first_bad: { seq: 6 } })
    })

    it('what is derived from the log is derived again', async () => {
      const tampered = make()
      await withStore(tampered, async (store) => {
        const log = await store.open(KEY, 0)
        for (const number of [1, 2]) recordCall(log, number, [], 'durable')
        log.append({ entries: [batchOf('b3', [3])], payloads: payloadsOf('args 3'), reliance: 'durable' })
        log.openBatches()
      })
      tampered.dropDerived()
      expect(tampered.verify()).toMatchObject({ ok: false })
      expect(await tampered.repair()).toMatchObject({ ok: true, sealed: [] })
      await withStore(tampered, async (store) => {
        const log = await store.open(KEY, 0)
        expect(log.about(execution(2)).map(({ seq }) => seq)).toEqual([3, 4])
        expect(log.openBatches().map(({ batch }) => batch)).toEqual(['b3'])
        expect(log.payload(content('result 2').digest)).not.toBeNull()
      })
    })

    for (const planted of plants) {
      it(`${planted} is taken out by a repair`, async () => {
        const tampered = make()
        await record(tampered, 1, 3)
        tampered.plant(planted)
        if (planted.includes('column')) {
          await expect(tampered.repair()).rejects.toThrow('cannot be repaired')
          return
        }
        expect(await tampered.repair()).toMatchObject({ ok: true })
        await record(tampered, 4)
        expect(tampered.verify()).toMatchObject({ ok: true, events: 8 })
      })
    }

    it('no grant survives a repair of what vouches for it', async () => {
      const tampered = make()
      await withStore(tampered, ({ grants }) => {
        for (const id of ['g1', 'g2', 'g3']) grants.add(ROOT, { ...GRANT, id })
        grants.revoke(ROOT, 'g1', 2000)
      })
      const { putGrantsBack } = tampered.copy()
      tampered.cutFrom(4)
      putGrantsBack()
      await withStore(tampered, ({ grants }) =>
        expect(grants.read(ROOT).grants.filter(({ revoked_at }) => revoked_at === null)).toEqual([]),
      )
      expect(await tampered.repair()).toMatchObject({ ok: true, drops_grants: true })
      await withStore(tampered, ({ grants }) => {
        expect(grants.read(ROOT)).toEqual({ grants: [], ignored: [] })
      })
      putGrantsBack()
      await withStore(tampered, ({ grants }) => {
        expect(grants.read(ROOT).grants.filter(({ revoked_at }) => revoked_at === null)).toEqual([])
        grants.add(ROOT, { ...GRANT, id: 'g4' })
        expect(grants.read(ROOT).grants.map(({ id }) => id)).toContain('g4')
      })
      expect(tampered.verify()).toMatchObject({ ok: true })
    })
  })
}
