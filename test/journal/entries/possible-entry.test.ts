import { describe, expect, it } from 'vitest'
import { isJsonObject } from '../../../src/core/json/value.ts'
import { chainHash, sessionId } from '../../../src/journal/chain/chain.ts'
import { describeDamage } from '../../../src/journal/entries/damaged-entry.ts'
import type { Entry, StoredEntry } from '../../../src/journal/entries/entry.ts'
import { isPossibleEntry } from '../../../src/journal/entries/possible-entry.ts'
import { repairStore } from '../../../src/journal/repair/repair-store.ts'
import { systemClock } from '../../../src/host/system/clock.ts'
import { batchOf, changeOf, landingOf, recordCall, settledOf } from '../sample-entries.ts'
import { makeStateFolder, SESSION } from '../state-folder.ts'
import type { StateFolder } from '../state-folder.ts'

const HOSTILE = '\u001b]0;PWNED\u0007'

const ENTRIES: readonly Entry[] = [
  batchOf('b1', [1]),
  landingOf(1),
  {
    ...settledOf('b1', 1, [changeOf('a', 'x', null)]),
    error: { code: 'timeout', class: 'ExecutionError' },
    grant: { id: 'g1', sentence: 'it may' },
    stored: { todo: 'd1' },
    attempts: [{ number: 1, at: 1, code: 'timeout', class: 'ExecutionError', durationMs: 1 }],
    usage: { cpuMs: 1, maxRssBytes: 1, fsReads: 1, fsWrites: 1 },
  },
  { kind: 'started', execution: 'e1', effect: 'spawn', idempotencyKey: null, layer: 'copy' },
  {
    kind: 'asked',
    batch: 'b1',
    questions: [{ approval: 'a1', execution: 'e1', risk: 'Low', binding: 'd1', diff: null, about: 'run' }],
    judged: [{ execution: 'e1', gates: [{ gate: 'rules', fact: 'none', verdict: 'ask' }] }],
    expiresAt: 1,
  },
  { kind: 'answered', batch: 'b1', approval: 'a1', isApproved: true, say: null, actor: { id: 'ada' } },
  { kind: 'continued', batch: 'b1' },
  {
    kind: 'undo',
    execution: 'u1',
    calls: ['e1'],
    changes: [changeOf('a', null, 'x')],
    actor: null,
    rollsBack: { execution: 'e1', because: 'obstacle', why: 'it is read-only', result: null },
  },
  {
    kind: 'recovered',
    batch: 'b1',
    choice: 'resume',
    calls: [{ execution: 'e1', status: 'finished', evidence: 'it has a result' }],
  },
  { kind: 'forgotten', why: 'asked', payloads: 1, bytes: 1, executions: ['e1'] },
  { kind: 'said', turn: 't1', role: 'user', message: 'd1', model: null },
  { kind: 'drafted', turn: 't1', part: 'd1' },
  { kind: 'voided', turn: 't1', why: 'it broke off' },
  { kind: 'streamed', turn: 't1', execution: 'e1', id: 'c1', name: 'read_file', args: 'd1' },
  { kind: 'held', batch: 'b1', executions: ['e1'] },
  { kind: 'parked', batch: 'b1', executions: ['e1'] },
  { kind: 'condensed', upTo: 1, summary: 'd1', cause: 'full', before: 2, after: 1 },
  { kind: 'delegated', execution: 'e1', entry: { kind: 'drafted', turn: 't1', part: 'd1' } },
  { kind: 'opened', by: 'app', preset: 'review', seal: 's1' },
  { kind: 'titled', title: 'd1', actor: null },
  { kind: 'note', about: 'model', execution: 'e1', data: 'anything' },
]

/** The fields that hold words of callers, models and files, and may hold any. */
const FREE = new Set(
  'turn id name version gate fact sentence why evidence root path model preset about data say idempotencyKey capabilities'.split(
    ' ',
  ),
)

/** The value with one of its parts replaced, once for each part, under the name of the nearest field. */
function* spoiled(value: unknown, name = ''): Generator<readonly [name: string, spoiled: unknown]> {
  if (Array.isArray(value)) {
    for (const [at, one] of value.entries())
      for (const [field, changed] of spoiled(one, name)) yield [field, value.with(at, changed)]
  } else if (isJsonObject(value)) {
    for (const [key, one] of Object.entries(value))
      for (const [field, changed] of spoiled(one, key)) yield [field, { ...value, [key]: changed }]
  } else yield [name, HOSTILE]
}

const readAll = (folder: StateFolder): readonly StoredEntry[] => {
  const store = folder.open()
  try {
    return [...store.read(SESSION)]
  } finally {
    store.close()
  }
}

async function makeRecorded(): Promise<StateFolder> {
  const folder = makeStateFolder()
  await folder.use((log) => {
    for (const number of [1, 2]) recordCall(log, number, [], 'durable')
  })
  return folder
}

const DAMAGE = 'Entry 4 (settled) is damaged and was skipped; run tongs audit verify for details.'

describe('what an entry can hold', () => {
  it.each(ENTRIES.map((entry) => [entry.kind, entry] as const))(
    'a text is no state, verdict, id or number: %s',
    (_kind, entry) => {
      expect(isPossibleEntry(entry)).toBe(true)
      const taken = [...spoiled(entry)].filter(([, changed]) => isPossibleEntry(changed))
      expect(taken.map(([name]) => name).filter((name) => !FREE.has(name))).toEqual([])
    },
  )

  it('is anything that a version to come may add', () => {
    expect(isPossibleEntry({ ...settledOf('b1', 1), novelty: { any: 'thing' } })).toBe(true)
  })

  it.each([
    ['"durationMs":1', '"durationMs":"1"'],
    ['"state":"DECLARED"', '"state":"FINISHED"'],
    ['"verdict":"pass"', '"verdict":"passed"'],
    ['"at":1}', '"at":1e300}'],
  ])('is not %s made into %s: such an entry is named as damaged', async (before, after) => {
    const folder = await makeRecorded()
    folder.tamper(`UPDATE log SET body = replace(body, '${before}', '${after}') WHERE seq = 4`)
    const entries = readAll(folder)
    expect(entries.map(({ entry }) => entry.kind)).toEqual(['batch', 'settled', 'batch', 'note'])
    expect(entries.map(({ entry }) => describeDamage(entry))).toEqual([null, null, null, DAMAGE])
    expect(folder.verify()).toMatchObject({ ok: false, first_bad: { seq: 4 } })
  })

  it('is checked also if the hash of the entry is right, and a repair leaves it out', async () => {
    const folder = await makeRecorded()
    const [, , third, fourth] = readAll(folder)
    if (third === undefined || fourth === undefined) throw new Error('there are four entries')
    const body = JSON.stringify({ ...fourth.entry, durationMs: HOSTILE })
    const hash = chainHash(third.hash, { session: sessionId(SESSION), seq: 4, at: fourth.at, body })
    folder.tamper('UPDATE log SET body = ?, hash = ? WHERE seq = 4', body, Buffer.from(hash, 'hex'))
    expect(readAll(folder).map(({ entry }) => describeDamage(entry))).toEqual([null, null, null, DAMAGE])
    const { ok, first_bad: bad } = folder.verify()
    expect([ok, bad?.seq, bad?.why]).toEqual([false, 4, expect.stringContaining('none can have')])
    expect(await repairStore(folder.path, systemClock)).toMatchObject({ ok: true })
    expect(folder.verify()).toMatchObject({ ok: true, sealed: 1 })
  })
})
