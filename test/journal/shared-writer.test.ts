import { DatabaseSync } from 'node:sqlite'
import { describe, expect, it } from 'vitest'
import type { NoteEntry } from '../../src/journal/entries/entry.ts'
import type { LogStore, SessionLog } from '../../src/journal/log.ts'
import { withoutSyncs } from '../harness/faults/unsynced.ts'
import { batchOf, changeOf, content, execution, payloadsOf, settledOf } from './sample-entries.ts'
import { makeStateFolder } from './state-folder.ts'

const note = (about: string, of: string | null = null): NoteEntry => ({
  kind: 'note',
  about,
  execution: of,
  data: null,
})

const openAs = async (store: LogStore, ...names: readonly string[]): Promise<SessionLog[]> =>
  Promise.all(names.map((name) => store.open({ root: '/r', name })))

/** Appends and says what other sessions were said to have committed and not put in place. */
function hear(log: SessionLog, entries: Parameters<SessionLog['append']>[0]['entries']): readonly string[] {
  let heard: readonly string[] = []
  log.append({
    entries,
    reliance: 'recorded',
    confirm: (elsewhere) => {
      heard = elsewhere.map(({ path }) => path)
    },
  })
  return heard
}

describe('sessions that share a writer', () => {
  it('what has landed is not told any more', async () => {
    const store = makeStateFolder().open('normal')
    const [a, b, c] = await openAs(store, 'a', 'b', 'c')
    const change = (number: number, path: string) => settledOf('b', number, [changeOf(path, 'x', 'y')])
    await Promise.all(
      [a, b].map((log, index) =>
        log?.appendTogether({
          entries: [change(index, `f${index}`)],
          reliance: 'durable',
          confirm: () => undefined,
        }),
      ),
    )
    a?.landed(execution(0))
    b?.landed(execution(1))
    expect(store.unlanded('/r')).toEqual([])
    expect(c === undefined ? null : hear(c, [note('x')])).toEqual([])
    store.close()
  })

  it('a landing that this process did not commit does not hide one that it did', async () => {
    const store = makeStateFolder().open('normal')
    const [a, b, c] = await openAs(store, 'a', 'b', 'c')
    if (a === undefined || b === undefined || c === undefined) throw new Error('no logs')
    hear(c, [note('x')])
    a.append({ entries: [settledOf('b', 0, [changeOf('f0', 'x', 'y')])], reliance: 'recorded' })
    b.landed('left-by-a-crash')
    expect(hear(c, [note('y')])).toEqual(['f0'])
    store.close()
  })

  it('what is found in doubt waits for a person and stands in nobody else’s way', async () => {
    const folder = makeStateFolder()
    await folder.use((log) => {
      log.append({ entries: [settledOf('b', 0, [changeOf('f0', 'x', 'y')])], reliance: 'recorded' })
    })
    const store = folder.open('normal')
    const [s, c] = await openAs(store, 's', 'c')
    if (s === undefined || c === undefined) throw new Error('no logs')
    expect(hear(c, [note('x')])).toEqual(['f0'])
    s.append({ entries: [note('in_doubt', execution(0))], reliance: 'durable' })
    expect(hear(c, [note('y')])).toEqual([])
    store.close()
  })

  it.for(['settled', 'batch', 'note'])(
    'an entry (%s) that cannot be read is left out of its session, and touches no other',
    async (kind) => {
      const folder = makeStateFolder()
      await folder.use((log) => {
        const settled = settledOf('b', 0, [changeOf('f0', 'x', 'y')])
        const entries = [batchOf('b', [0, 1]), settled, note('in_doubt', execution(0))]
        log.append({ entries, reliance: 'recorded' })
        if (kind === 'settled') log.landed(execution(0))
      })
      folder.tamper(`UPDATE log SET body = '{' WHERE kind = '${kind}'`)
      const store = folder.open('normal')
      const [s, c] = await openAs(store, 's', 'c')
      const read = [...(s?.entries() ?? [])].map(({ entry }) => entry)
      expect(read.filter((entry) => entry.kind === 'note' && entry.about === 'damaged')).toHaveLength(1)
      expect(read).toHaveLength(3)
      expect([
        store.unlanded('/r').length,
        store.unsynced('/r').length,
        store.openBatches('/r').length,
        // Nothing vouches for a commit any more if an entry after it was changed.
      ]).toEqual(kind === 'settled' ? [0, 0, 1] : kind === 'batch' ? [1, 0, 0] : [0, 0, 1])
      expect(c === undefined ? null : hear(c, [note('y')])).toEqual(kind === 'note' ? ['f0'] : [])
      expect([...(c?.entries() ?? [])]).toHaveLength(1)
      store.close()
    },
  )

  it.for(['together', 'after each other'])(
    'a session that was taken is refused, %s with another',
    async (how) => {
      const folder = makeStateFolder()
      // What waits in a segment is compared when it is taken up: see the segments' own tests.
      const store = folder.open('normal', 'never')
      const [a, b] = await openAs(store, 'a', 'b')
      if (a === undefined || b === undefined) throw new Error('no logs')
      for (const log of [a, b]) log.append({ entries: [note('one')], reliance: 'durable' })
      folder.tamper(
        "INSERT INTO log (kind, session, seq, at, hash, body) SELECT 'note', id, 2, 1, x'00', '{}' FROM session WHERE name = 'b'",
      )
      const what = { entries: [note('two')], reliance: 'durable' } as const
      const asks =
        how === 'together'
          ? [a, b].map((log) => log.appendTogether(what))
          : [a, b].map(async (log) => log.append(what))
      const ends = await Promise.allSettled(asks)
      expect(
        ends.map((end) => (end.status === 'rejected' ? (end.reason as { code?: string }).code : 'written')),
      ).toEqual(['written', 'session_taken'])
      store.close()
    },
  )

  it('an append that is undone does not make contents unfindable', async () => {
    const folder = makeStateFolder()
    const [store, other] = [folder.open('normal'), folder.open('normal')]
    const [a] = await openAs(store, 'a')
    const [z] = await openAs(other, 'z')
    a?.append({ entries: [note('one')], payloads: payloadsOf('keep'), reliance: 'recorded' })
    z?.append({ entries: [note('foreign')], reliance: 'recorded' })
    const broken: Iterable<never> = {
      [Symbol.iterator]: () => {
        throw new Error('such as a disk that is full')
      },
    }
    expect(() =>
      a?.append({
        entries: [note('two')],
        payloads: broken,
        reliance: 'recorded',
        confirm: () => undefined,
      }),
    ).toThrow()
    expect(a?.payload(content('keep').digest)).not.toBeNull()
    other.close()
    store.close()
  })

  it('a sync that failed is not taken for tampering after the log was closed', async () => {
    const folder = makeStateFolder()
    const store = folder.open('full')
    const logs = await Promise.all(['a', 'b'].map((name) => store.open({ root: '/r', name })))
    for (const log of logs) log.append({ entries: [note('one')], reliance: 'durable' })
    await withoutSyncs(folder.files.database, async () => {
      const asked = logs.map((log) => log.appendTogether({ entries: [note('two')], reliance: 'durable' }))
      const ends = await Promise.allSettled(asked)
      expect(ends.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
    })
    store.close()
    const again = folder.open('full')
    const a = await again.open({ root: '/r', name: 'a' })
    expect(a.breach).toBeNull()
    again.close()
  })

  it('after an undone group, asking costs nothing again', async () => {
    const folder = makeStateFolder()
    const store = folder.open('normal')
    const logs = await Promise.all(['a', 'b'].map((name) => store.open({ root: '/r', name })))
    const change = [settledOf('b', 0, [changeOf('f0', 'x', 'y')])]
    await Promise.allSettled(
      logs.map((log, index) =>
        log.appendTogether({
          entries: change,
          reliance: 'recorded',
          confirm: () => {
            if (index === 1) throw new Error('refused')
          },
        }),
      ),
    )
    logs[0]?.landed('e000000')
    const folded = (): unknown => {
      const database = new DatabaseSync(folder.files.database)
      const value = database.prepare("SELECT value FROM meta WHERE key = 'folded'").get()?.['value']
      database.close()
      return value
    }
    const ask = (): void => {
      logs[0]?.append({ entries: [note('x')], reliance: 'recorded', confirm: () => undefined })
    }
    ask()
    const before = folded()
    ask()
    expect(folded()).toBe(before)
    store.close()
  })
})
