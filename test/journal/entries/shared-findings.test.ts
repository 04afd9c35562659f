import { DatabaseSync } from 'node:sqlite'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { GateRecord, SettledEntry } from '../../../src/journal/entries/entry.ts'
import { createEntryWriter, parseEntryText } from '../../../src/journal/entries/entry-text.ts'
import type { SharedFindings } from '../../../src/journal/entries/entry-text.ts'
import { DAMAGED_FINDINGS } from '../../../src/journal/entries/damaged-entry.ts'
import { payloadsOf, settledOf } from '../sample-entries.ts'
import { makeStateFolder, SESSION } from '../state-folder.ts'
import type { StateFolder } from '../state-folder.ts'

const OFTEN = ['switch', 'envelope', 'lookup', 'schema', 'sandbox', 'rules', 'capabilities', 'resources']

/** What gates say of a call, with a few words of its own. */
function findings(size: number, count = OFTEN.length): readonly GateRecord[] {
  return OFTEN.slice(0, count).map((gate, at) => ({
    gate,
    fact: at === 1 ? `arguments of ${size} bytes` : `what ${gate} looked at is in order`,
    verdict: 'pass',
  }))
}

function settled(number: number, gates: readonly GateRecord[], name = 'read_file'): SettledEntry {
  return { ...settledOf(`b${number}`, number), name, gates }
}

async function append(folder: StateFolder, entries: readonly SettledEntry[]): Promise<void> {
  const store = folder.open('normal')
  const log = await store.open(SESSION)
  const payloads = payloadsOf(...[1, 2, 3, 4, 5].map((number) => `result ${number}`))
  for (const entry of entries) log.append({ entries: [entry], payloads, reliance: 'durable' })
  store.close()
}

function readBack(folder: StateFolder): readonly unknown[] {
  const store = folder.open('normal')
  try {
    return [...store.read(SESSION)].map(({ entry }) => entry)
  } finally {
    store.close()
  }
}

function ask(folder: StateFolder, sql: string): Readonly<Record<string, unknown>> | undefined {
  const database = new DatabaseSync(folder.files.database)
  try {
    return database.prepare(sql).get()
  } finally {
    database.close()
  }
}

describe('what the gates say of a call', () => {
  it('is stored once for calls of one tool, and read back word by word, also by the next process', async () => {
    const folder = makeStateFolder()
    const first = [1, 2, 3].map((number) => settled(number, findings(number)))
    const second = [4, 5].map((number) => settled(number, findings(number)))
    await append(folder, first)
    await append(folder, second)
    expect(readBack(folder)).toEqual([...first, ...second])
    expect(ask(folder, 'SELECT count(*) AS count FROM findings')).toEqual({ count: 1 })
    const size = ask(folder, "SELECT max(length(body)) AS size FROM log WHERE kind = 'settled' AND seq > 1")
    expect(Number(size?.['size'])).toBeLessThan(JSON.stringify(first[0]).length * 0.7)
    expect(folder.verify()).toMatchObject({ ok: true, events: 5 })
  })

  it('is kept for each tool, also where two of them hear the same', async () => {
    const folder = makeStateFolder()
    const entries = [settled(1, findings(1)), settled(2, findings(1), 'search')]
    await append(folder, entries)
    folder.tamper("DELETE FROM findings WHERE tool = 'search'")
    expect(folder.verify().first_bad).toMatchObject({ seq: 2 })
  })

  it.for([
    ['changed', "UPDATE findings SET list = replace(list, 'in order', 'forged')"],
    ['removed', 'DELETE FROM findings'],
  ] as const)('R-T-006: is missed when it was %s, by the check and by whoever reads', async ([, sql]) => {
    const folder = makeStateFolder()
    await append(folder, [settled(1, []), settled(2, findings(2))])
    folder.tamper(sql)
    expect(folder.verify()).toMatchObject({ ok: false, first_bad: { session: 's', seq: 2 } })
    expect(folder.verify().first_bad?.why).toContain('findings')
    const [, read] = readBack(folder)
    expect(read).toEqual({ ...settled(2, []), gates: DAMAGED_FINDINGS })
  })

  it.for([
    ['says something else', 7],
    ['says the same', 1],
  ] as const)('is stored anew by whoever goes on after it was changed and %s', async ([, size]) => {
    const folder = makeStateFolder()
    await append(folder, [settled(1, findings(1))])
    folder.tamper("UPDATE findings SET list = '[]'")
    await append(folder, [settled(2, findings(size))])
    await folder.use((log) => {
      expect([...log.entries(2)].map(({ entry }) => entry)).toEqual([settled(2, findings(size))])
    })
  })

  it('an undone transaction leaves no entry behind that names what was not stored', async () => {
    const folder = makeStateFolder()
    const store = folder.open('normal')
    const log = await store.open(SESSION)
    const refuse = (): never => {
      throw new Error('no')
    }
    const entry = settled(1, findings(1))
    expect(() => log.append({ entries: [entry], reliance: 'durable', confirm: refuse })).toThrow('no')
    log.append({ entries: [entry], payloads: payloadsOf('result 1'), reliance: 'durable' })
    store.close()
    expect(readBack(folder)).toEqual([entry])
    expect(folder.verify()).toMatchObject({ ok: true })
  })

  it('keeps what programs said where the words for people are the same', async () => {
    const folder = makeStateFolder()
    const entries = (['ask', 'deny', 'abstain'] as const).map((verdict, number) =>
      settled(number + 1, [
        ...findings(1),
        { gate: 'external gates', fact: 'as ever', verdict: 'pass', answers: [{ gate: 'mine', verdict }] },
      ]),
    )
    await append(folder, entries)
    expect(readBack(folder)).toEqual(entries)
  })

  it('comes out as it went in, whatever the gates say', () => {
    const record = fc.record(
      {
        gate: fc.constantFrom(...OFTEN),
        fact: fc.string(),
        verdict: fc.constantFrom('pass', 'ask', 'deny', 'fail'),
        grant: fc.uuid(),
      },
      { requiredKeys: ['gate', 'fact', 'verdict'] },
    )
    const lists = fc.array(fc.array(record, { maxLength: 24 }), { maxLength: 12 })
    fc.assert(
      fc.property(lists, fc.nat({ max: 9 }), (drawn, changed) => {
        const stored = new Map<string, SharedFindings>()
        const format = createEntryWriter(() => [...stored.values()])
        for (const [index, gates] of drawn.entries()) {
          const near = gates.map((one, at) => (at < changed ? { ...one, fact: `${one.fact}!` } : one))
          for (const list of [gates, near] as readonly (readonly GateRecord[])[]) {
            const entry = settled(index, list)
            const { body, shared } = format(entry)
            if (shared !== null) stored.set(shared.digest, shared)
            const find = (_: string, digest: string) =>
              JSON.parse(stored.get(digest)?.text ?? '') as readonly GateRecord[]
            expect(JSON.stringify(parseEntryText(body, find))).toBe(JSON.stringify(entry))
          }
        }
      }),
    )
  })
})
