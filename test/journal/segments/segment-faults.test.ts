import { readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import { describe, expect, it, vi } from 'vitest'
import { HEADER_BYTES } from '../../../src/journal/segments/segment-header.ts'
import { watchSteps } from '../../harness/faults/world/steps.ts'
import { PATIENCE_MS } from '../../harness/patience.ts'
import { recordCall } from '../sample-entries.ts'
import { journalErrorOf, makeStateFolder, SESSION } from '../state-folder.ts'
import { copyOf, countEntries, crashAfter, openWithSegment, segmentIn, segmentsIn } from './crash-image.ts'

const upTo = (count: number): readonly number[] => Array.from({ length: count }, (_, at) => at + 1)

describe('a segment that cannot be written', () => {
  it.for(['half of writeSync', 'writeSync', 'fdatasyncSync'])(
    'because %s fails is given up: the database takes what it held and what did not fit',
    async (failing) => {
      const folder = makeStateFolder()
      const store = openWithSegment(folder.path)
      const log = await store.open(SESSION)
      for (const number of [1, 2, 3]) recordCall(log, number, [], 'durable')
      let failures = 0
      await watchSteps(
        ({ name }) =>
          name === failing && failures++ === 0
            ? { error: Object.assign(new Error('EIO: i/o error'), { code: 'EIO' }) }
            : null,
        async () => recordCall(log, 4, [], 'durable'),
      )
      expect(failures).toBeGreaterThan(0)
      const crashed = copyOf(folder)
      recordCall(log, 5, [], 'durable')
      store.close()
      for (const [one, count] of [
        [crashed, 8],
        [folder, 10],
      ] as const) {
        const again = one.open()
        expect([...again.read(SESSION)].map(({ seq }) => seq)).toEqual(upTo(count))
        again.close()
        expect(segmentsIn(one)).toEqual([])
        expect(one.verify()).toMatchObject({ ok: true, events: count })
      }
    },
  )

  it('because it was removed is given up too, and nothing durable is lost', async () => {
    const folder = makeStateFolder()
    const store = openWithSegment(folder.path)
    const log = await store.open(SESSION)
    for (const number of [1, 2, 3]) recordCall(log, number, [], 'durable')
    rmSync(segmentIn(folder))
    let calls = 3
    // It is looked for now and then only.
    await vi.waitFor(
      () => {
        recordCall(log, ++calls, [], 'durable')
        expect(countEntries(folder)).toBe(2 * calls)
      },
      { timeout: PATIENCE_MS },
    )
    const crashed = copyOf(folder)
    store.close()
    for (const one of [crashed, folder]) expect(one.verify()).toMatchObject({ ok: true, events: 2 * calls })
  })

  it('because it was removed loses nothing either if its process closes the journal before it notices', async () => {
    const folder = makeStateFolder()
    const store = openWithSegment(folder.path)
    const log = await store.open(SESSION)
    for (const number of [1, 2, 3]) recordCall(log, number, [], 'durable')
    rmSync(segmentIn(folder))
    recordCall(log, 4, [], 'durable')
    store.close()
    expect(folder.verify()).toMatchObject({ ok: true, events: 8 })
  })

  it('is not written to any more once the database was removed', async () => {
    const folder = makeStateFolder()
    const store = openWithSegment(folder.path)
    const log = await store.open(SESSION)
    recordCall(log, 1, [], 'durable')
    renameSync(folder.files.database, `${folder.files.database}.away`)
    let number = 1
    const refused = await vi.waitUntil(
      () => journalErrorOf(() => recordCall(log, ++number, [], 'durable')).catch(() => null),
      { timeout: PATIENCE_MS },
    )
    expect(refused.code).toBe('removed')
    store.close()
  })
})

describe('a session that lost its end', () => {
  it('goes on in a segment as it does in the database', async () => {
    const folder = makeStateFolder()
    await folder.use(
      (log) => {
        for (const number of [1, 2, 3]) recordCall(log, number, [], 'durable')
      },
      { durability: 'normal' },
    )
    folder.tamper('DELETE FROM log WHERE seq > 3')
    const store = openWithSegment(folder.path, 'normal')
    const log = await store.open(SESSION)
    for (const number of [4, 5]) recordCall(log, number, [], 'durable')
    store.close()
    expect(readdirSync(folder.files.segments)).toEqual([])
    expect(folder.verify()).toMatchObject({ ok: true, events: 7 })
  })
})

describe('two processes that write to one session', () => {
  it('because its lock was removed: one goes on, the other one is told, and what it wrote is kept and named', async () => {
    const folder = makeStateFolder()
    const [one, other] = [openWithSegment(folder.path), openWithSegment(folder.path)]
    const log = await one.open(SESSION)
    for (const number of [1, 2, 3]) recordCall(log, number, [], 'durable')
    for (const name of readdirSync(folder.files.locks)) rmSync(join(folder.files.locks, name))
    const taken = await other.open(SESSION)
    expect(taken.latestSeq()).toBe(6)
    recordCall(taken, 10, [], 'durable')
    recordCall(log, 20, [], 'durable')
    other.openBatches()
    one.openBatches()
    expect((await journalErrorOf(() => recordCall(log, 21, [], 'durable'))).code).toBe('session_taken')
    recordCall(taken, 11, [], 'durable')
    expect([...other.read(SESSION)].map(({ seq }) => seq)).toEqual(upTo(10))
    expect(folder.verify()).toMatchObject({ ok: false })
    other.close()
    one.close()
    expect(readdirSync(folder.files.segments).filter((name) => name.endsWith('.contested'))).toHaveLength(1)
    expect(folder.verify()).toMatchObject({ ok: false })
  })
})

describe('after a power cut', () => {
  /** The segment says that it was begun before the machine was started. */
  function restart(path: string): Buffer {
    const bytes = readFileSync(path)
    const words = bytes.subarray(0, HEADER_BYTES).toString('latin1').trimEnd().split(' ')
    words[4] = 'another-boot'
    const text = words.slice(0, -1).join(' ')
    bytes.write(`${text} ${crc32(text)}`.padEnd(HEADER_BYTES - 1), 0, 'latin1')
    return bytes
  }

  it('what a segment holds is taken up', async () => {
    const folder = await crashAfter((log) => {
      for (const number of [1, 2, 3]) recordCall(log, number, [], 'durable')
    })
    writeFileSync(segmentIn(folder), restart(segmentIn(folder)))
    expect(folder.verify()).toMatchObject({ ok: true, events: 6 })
  })

  it('what was not synced ends where the first of it is missing, and that is no damage', async () => {
    const folder = await crashAfter((log) => {
      for (const number of [1, 2, 3]) recordCall(log, number, [], 'durable')
      for (const number of [4, 5, 6]) recordCall(log, number)
    })
    const bytes = restart(segmentIn(folder))
    const at = bytes.indexOf('"batch":"b4"')
    writeFileSync(segmentIn(folder), bytes.fill(0, at, at + 300))
    expect(folder.verify()).toMatchObject({ ok: true, events: 6 })
    folder.open().close()
    expect(readdirSync(folder.files.segments)).toEqual([])
    expect(folder.verify()).toMatchObject({ ok: true, events: 6 })
  })
})
