import { describe, expect, it } from 'vitest'
import type { SessionKey } from '../../src/journal/entries/entry.ts'
import { runUnder, startWorker } from './processes.ts'
import { payloadsOf, recordCall, settledOf } from './sample-entries.ts'
import { journalErrorOf, makeStateFolder } from './state-folder.ts'
import { HARDENING_SEED, roundsOf } from '../harness/long-run.ts'

const KILLS = roundsOf(9, 30)
const AT_ONCE = 3

describe('what was acknowledged survives the death of the process', () => {
  it.for([
    [
      `SRD/D-03, FR-RES-04: after ${KILLS} kills every acknowledged entry is there, once, and the chain verifies`,
      'auto',
    ],
    ['the same for processes that use a segment from the start', 'always'],
  ] as const)('%s', async ([, segments]) => {
    const folder = makeStateFolder()
    // One that ends by itself leaves its compiled code for those that will not get round to it.
    expect(runUnder(':', 'once', folder.path, 'first')).toBe('done')
    const acknowledged = new Map<string, Map<number, string>>()
    for (let wave = 0; wave < KILLS / AT_ONCE; wave++) {
      const names = ['a', 'b', 'c']
      await Promise.all(
        names.map(async (name, index) => {
          const worker = startWorker('append', folder.path, name, 0, segments)
          // Where the blow falls differs from wave to wave, and with the weather.
          await worker.said(1 + ((HARDENING_SEED + wave * 5 + index * 3) % 11))
          worker.child.kill('SIGKILL')
          await worker.ended
          const lines = acknowledged.get(name) ?? new Map<number, string>()
          for (const line of worker.lines) {
            const [seq = '', hash = ''] = line.split(' ')
            expect(hash, line).toMatch(/^[0-9a-f]{64}$/)
            lines.set(Number(seq), hash)
          }
          acknowledged.set(name, lines)
        }),
      )
    }
    const store = folder.open()
    for (const [name, lines] of acknowledged) {
      const key: SessionKey = { root: '/r', name }
      const stored = [...store.read(key)]
      expect(stored.map(({ seq }) => seq)).toEqual(stored.map((_, at) => at + 1))
      expect(lines.size).toBeGreaterThanOrEqual(KILLS / AT_ONCE)
      for (const [seq, hash] of lines) expect(stored[seq - 1]?.hash).toBe(hash)
      // Whatever was declared and not settled is known as open, and only that.
      const settled = new Set(stored.flatMap(({ entry }) => (entry.kind === 'settled' ? [entry.batch] : [])))
      const open = stored.flatMap(({ entry }) =>
        entry.kind === 'batch' && !settled.has(entry.batch) ? [entry.batch] : [],
      )
      const log = await store.open(key, 0)
      expect(new Set(log.openBatches().map(({ batch }) => batch))).toEqual(new Set(open))
      expect(log.breach).toBeNull()
      log.append({
        entries: [settledOf('after', 1)],
        payloads: payloadsOf('result 1'),
        reliance: 'durable',
      })
    }
    store.close()
    expect(folder.verify()).toMatchObject({ ok: true, sessions: 4 })
  })

  it.for([
    ['FR-RES-04: eight processes on one state folder lose nothing and never find it busy', 'auto'],
    ['eight processes that use a segment from the start lose nothing either', 'always'],
  ] as const)('%s', async ([, segments]) => {
    const folder = makeStateFolder()
    const count = 30
    const names = Array.from({ length: 8 }, (_, index) => `worker ${index}`)
    const workers = names.map((name) => startWorker('hammer', folder.path, name, count, segments))
    await Promise.all(workers.map(({ ended }) => ended))
    expect(workers.map(({ lines }) => lines)).toEqual(names.map(() => ['done']))
    const store = folder.open()
    for (const name of names) {
      const stored = [...store.read({ root: '/r', name })]
      expect(stored.map(({ seq }) => seq)).toEqual(Array.from({ length: 2 * count }, (_, at) => at + 1))
    }
    expect([...store.read({ root: '/r', name: 'shared' })]).toHaveLength(8 * 2 * Math.ceil(count / 10))
    expect(store.openBatches()).toEqual([])
    store.close()
    expect(folder.verify()).toMatchObject({ ok: true, sessions: 9, erased: 0 })
  })
})

describe('a session has one owner', () => {
  it('who holds it is named; when the holder is killed it is free at once', async () => {
    const folder = makeStateFolder()
    const worker = startWorker('hold', folder.path, 's')
    await worker.said(1)
    const store = folder.open()
    const error = await journalErrorOf(() => store.open({ root: '/r', name: 's' }, 30))
    expect(error.code).toBe('session_busy')
    expect(error.message).toContain(`process ${worker.child.pid} (journal-child.ts hold)`)
    expect(error.hint).toContain('--session')
    const other = await store.open({ root: '/r', name: 'free' }, 0)
    recordCall(other, 1)
    const waiting = store.open({ root: '/r', name: 's' })
    worker.child.kill('SIGKILL')
    await worker.ended
    const log = await waiting
    recordCall(log, 2)
    store.close()
  })
})
