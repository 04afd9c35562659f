import { renameSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, it } from 'vitest'
import { systemClock } from '../../../src/host/system/clock.ts'
import type { NoteEntry } from '../../../src/journal/entries/entry.ts'
import { createGroupCommit } from '../../../src/journal/store/group-commit.ts'
import type { LogStore, Reliance, SessionLog } from '../../../src/journal/log.ts'
import type { Rows } from '../../../src/journal/store/rows.ts'
import { runUnder, startWorker } from '../processes.ts'
import { changeOf, payloadsOf, settledOf } from '../sample-entries.ts'
import { journalErrorOf, makeStateFolder } from '../state-folder.ts'
import type { StateFolder } from '../state-folder.ts'

const note = (about: string): NoteEntry => ({ kind: 'note', about, execution: null, data: null })

const aboutOf = (log: SessionLog): readonly string[] =>
  [...log.entries()].map(({ entry }) => (entry.kind === 'note' ? entry.about : entry.kind))

async function openMany(store: LogStore, count: number): Promise<readonly SessionLog[]> {
  return Promise.all(Array.from({ length: count }, (_, at) => store.open({ root: '/r', name: `s${at}` })))
}

/** A writer that only notes which members came together, and fails where it is told to. */
function listen(fail: (members: readonly string[]) => void = () => undefined) {
  const transactions: { readonly reliance: Reliance; readonly members: readonly string[] }[] = []
  let members: string[] = []
  const group = createGroupCommit((reliance, body) => {
    members = []
    const value = body({} as Rows)
    fail(members)
    transactions.push({ reliance, members })
    return value
  }, systemClock)
  const done: string[] = []
  const join = (name: string, reliance: Reliance, of: object = { name }): Promise<void> =>
    group.join({ of, reliance, fill: () => void members.push(name), done: () => void done.push(name) })
  return { join, flush: group.flush, transactions, done }
}

describe('who shares a transaction', () => {
  it('what is asked for in one turn, synced if anybody wants that; once it is written, all are told', async () => {
    const { join, transactions, done } = listen()
    await Promise.all([join('a', 'recorded'), join('b', 'durable'), join('c', 'recorded')])
    expect(transactions).toEqual([{ reliance: 'durable', members: ['a', 'b', 'c'] }])
    expect(done).toEqual(['a', 'b', 'c'])
  })

  it('whoever is alone does not wait for the loop to turn', async () => {
    const { join, transactions } = listen()
    const of = {}
    let hasTurned = false
    setImmediate(() => {
      hasTurned = true
    })
    for (const name of ['a', 'b', 'c']) await join(name, 'durable', of)
    expect(hasTurned).toBe(false)
    expect(transactions).toHaveLength(3)
  })

  it('sessions that write by turns find each other, though they ask at different moments of a turn', async () => {
    const { join, transactions } = listen()
    const write = async (name: string, lateness: number): Promise<void> => {
      const of = {}
      for (let round = 0; round < 20; round++) {
        for (let late = 0; late < lateness; late++) await Promise.resolve()
        await join(name, 'durable', of)
      }
    }
    await Promise.all([write('a', 1), write('b', 9), write('c', 30)])
    expect(transactions.length).toBeLessThan(30)
  })

  it('nobody has two writes in one: the second waits for the first', async () => {
    const { join, transactions, done } = listen()
    const of = {}
    await Promise.all([join('a1', 'durable', of), join('b', 'recorded'), join('a2', 'recorded', of)])
    expect(transactions.map(({ members }) => members)).toEqual([['a1', 'b'], ['a2']])
    expect(done).toEqual(['a1', 'b', 'a2'])
  })

  it('one that fails does so alone', async () => {
    const { join, transactions, done } = listen((members) => {
      if (members.includes('bad')) throw new Error('no')
    })
    const ends = await Promise.allSettled(['a', 'bad', 'b'].map((name) => join(name, 'durable')))
    expect(ends.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
    expect(transactions.map(({ members }) => members)).toEqual([['a'], ['b']])
    expect(done).toEqual(['a', 'b'])
  })

  it('a write outside of a group can have it written first', () => {
    const { join, flush, done } = listen()
    void join('a', 'durable')
    flush()
    expect(done).toEqual(['a'])
    flush()
    expect(done).toEqual(['a'])
  })
})

describe('appends of several sessions at once', () => {
  it('are all there, each in the order of its session, whatever else is appended between', async () => {
    const folder = makeStateFolder()
    const store = folder.open('normal')
    const logs = await openMany(store, 5)
    const write = async (log: SessionLog, index: number): Promise<void> => {
      for (let round = 0; round < 20; round++) {
        const soon = log.appendTogether({ entries: [note(`${round} first`)], reliance: 'durable' })
        // Does not wait for the one before, and still comes after it.
        if ((round + index) % 3 === 0) log.append({ entries: [note(`${round} then`)], reliance: 'recorded' })
        await soon
        expect(aboutOf(log)).toContain(`${round} first`)
      }
    }
    await Promise.all(logs.map(write))
    for (const [index, log] of logs.entries()) {
      const expected = Array.from({ length: 20 }, (_, round) =>
        (round + index) % 3 === 0 ? [`${round} first`, `${round} then`] : [`${round} first`],
      ).flat()
      expect(aboutOf(log)).toEqual(expected)
      expect(log.latestSeq()).toBe(expected.length)
    }
    store.close()
    expect(folder.verify()).toMatchObject({ ok: true, sessions: 5 })
  })

  it('a refused one leaves no trace, takes nobody with it, and its session goes on', async () => {
    const folder = makeStateFolder()
    const store = folder.open()
    const logs = await openMany(store, 4)
    const refusal = new Error('not as it was')
    const ends = await Promise.allSettled(
      logs.map((log, index) =>
        log.appendTogether({
          entries: [note(`${index}`)],
          seen: [{ path: '/r/a', digest: 'd', at: 1, range: null }],
          reliance: 'durable',
          confirm: () => {
            if (index === 2) throw refusal
          },
        }),
      ),
    )
    expect(ends.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected', 'fulfilled'])
    expect(ends[2]).toMatchObject({ reason: refusal })
    expect(logs.map(aboutOf)).toEqual([['0'], ['1'], [], ['3']])
    expect(logs.map((log) => log.ledger('/r/a') === null)).toEqual([false, false, true, false])
    await Promise.all(logs.map((log) => log.appendTogether({ entries: [note('next')], reliance: 'durable' })))
    store.close()
    expect(folder.verify()).toMatchObject({ ok: true, events: 7, sessions: 4 })
  })

  it('of two that change one file, the second hears of the first', async () => {
    const store = makeStateFolder().open()
    const [one, other] = await openMany(store, 2)
    const heard: (readonly string[])[] = []
    await Promise.all(
      [one, other].map((log, index) =>
        log?.appendTogether({
          entries: [settledOf('b', index, [changeOf(`f${index}`, 'x', 'y')])],
          payloads: payloadsOf('x', 'y'),
          reliance: 'durable',
          confirm: (elsewhere) => void heard.push(elsewhere.map(({ path }) => path)),
        }),
      ),
    )
    expect(heard).toEqual([[], ['f0']])
    expect(one?.unlanded().map(({ execution }) => execution)).toEqual(['e000000'])
    store.close()
  })

  it('share a content that several of them name: it is stored once, and can be erased', async () => {
    const folder = makeStateFolder()
    const store = folder.open('normal')
    const logs = await openMany(store, 3)
    const payloads = payloadsOf('secret')
    await Promise.all(
      logs.map((log) => log.appendTogether({ entries: [note('x')], payloads, reliance: 'recorded' })),
    )
    store.close()
    const database = new DatabaseSync(folder.files.database)
    expect(database.prepare("SELECT count(*) AS count FROM log WHERE kind = 'payload'").get()).toEqual({
      count: 1,
    })
    database.close()
  })

  it('closing writes what has been asked for, and refuses what comes later', async () => {
    const folder = makeStateFolder()
    const store = folder.open()
    const [log, other] = await openMany(store, 2)
    const asked = [log, other].map((one) =>
      one?.appendTogether({ entries: [note('last')], reliance: 'durable' }),
    )
    store.close()
    await Promise.all(asked)
    const late = async (): Promise<unknown> => log?.appendTogether({ entries: [], reliance: 'recorded' })
    await expect(late()).rejects.toMatchObject({ code: 'closed' })
    expect(folder.verify()).toMatchObject({ ok: true, events: 2 })
  })

  it('a journal that was moved away refuses all of them, and none of them is told otherwise', async () => {
    const folder = makeStateFolder()
    const store = folder.open()
    const logs = await openMany(store, 3)
    await Promise.all(logs.map((log) => log.appendTogether({ entries: [note('one')], reliance: 'durable' })))
    renameSync(folder.files.database, `${folder.files.database}.away`)
    const ends = await Promise.allSettled(
      logs.map((log) => log.appendTogether({ entries: [note('two')], reliance: 'durable' })),
    )
    expect(ends.map((end) => end.status === 'rejected' && (end.reason as { code: string }).code)).toEqual(
      Array(3).fill('removed'),
    )
    renameSync(`${folder.files.database}.away`, folder.files.database)
    await journalErrorOf(() => store.close()).catch(() => undefined)
    expect(folder.verify()).toMatchObject({ ok: true, events: 3 })
  })

  it('FR-RES-04: a disk that takes no more costs those that did not fit, and what was acknowledged is what is there', () => {
    const folder = makeStateFolder()
    const said = JSON.parse(runUnder('ulimit -f 1200', 'overfill', folder.path, 's', 4)) as {
      readonly codes: readonly string[]
      readonly acknowledged: readonly number[]
      readonly stored: readonly number[]
    }
    expect(said.codes).toEqual(['io'])
    expect(said.stored).toEqual(said.acknowledged)
    expect(said.acknowledged[0]).toBeGreaterThan(0)
    expect(folder.verify()).toMatchObject({ ok: true })
  })

  it('SRD/D-03: killed in the middle of it, what any of them was told is there, once and in order', async () => {
    const folder = makeStateFolder()
    const acknowledged = new Map<string, Map<number, string>>()
    for (let wave = 0; wave < 6; wave++) {
      const worker = startWorker('crowd', folder.path, 's', 6)
      await worker.said(7 + wave * 5)
      worker.child.kill('SIGKILL')
      await worker.ended
      for (const line of worker.lines) {
        const [name = '', seq = '', hash = ''] = line.split(' ')
        const known = acknowledged.get(name) ?? new Map<number, string>()
        acknowledged.set(name, known.set(Number(seq), hash))
      }
    }
    expect(acknowledged.size).toBe(6)
    requireAcknowledged(folder, acknowledged)
    expect(folder.verify()).toMatchObject({ ok: true, sessions: 6 })
  })
})

function requireAcknowledged(
  folder: StateFolder,
  acknowledged: ReadonlyMap<string, ReadonlyMap<number, string>>,
): void {
  const store = folder.open()
  for (const [name, lines] of acknowledged) {
    const stored = [...store.read({ root: '/r', name })]
    expect(stored.map(({ seq }) => seq)).toEqual(stored.map((_, at) => at + 1))
    for (const [seq, hash] of lines) expect(stored[seq - 1]?.hash).toBe(hash)
  }
  store.close()
}
