import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { systemClock } from '../../../src/host/system/clock.ts'
import type { SessionLog } from '../../../src/journal/log.ts'
import { repairStore } from '../../../src/journal/repair/repair-store.ts'
import { HEADER_BYTES } from '../../../src/journal/segments/segment-header.ts'
import { recordCall } from '../sample-entries.ts'
import { makeStateFolder, SESSION } from '../state-folder.ts'
import type { StateFolder } from '../state-folder.ts'
import { copyOf, crashAfter, openWithSegment, segmentIn } from './crash-image.ts'

const upTo = (count: number): readonly number[] => Array.from({ length: count }, (_, at) => at + 1)

/** Opens a state folder, says what it holds, and closes it. */
async function readBack(folder: StateFolder): Promise<{ seqs: readonly number[]; breach: string | null }> {
  const store = folder.open()
  try {
    const log = await store.open(SESSION, 0)
    return { seqs: [...store.read(SESSION)].map(({ seq }) => seq), breach: log.breach?.why ?? null }
  } finally {
    store.close()
  }
}

const threeCalls = (log: SessionLog): void => {
  for (const number of [1, 2, 3]) recordCall(log, number, [], 'durable')
}

/** The same bytes with one of them flipped. */
function withByte(bytes: Buffer, at: number): Buffer {
  const copy = Buffer.from(bytes)
  copy.writeUInt8(copy.readUInt8(at) ^ 0x01, at)
  return copy
}

describe('a segment', () => {
  it('whose header has one wrong byte is read all the same, because its name says what it is', async () => {
    const folder = await crashAfter(threeCalls)
    const whole = readFileSync(segmentIn(folder))
    const header = whole.subarray(0, HEADER_BYTES).toString('latin1')
    const places = header.split(' ').flatMap((word, at, words) => {
      const begins = words.slice(0, at).join(' ').length + (at === 0 ? 0 : 1)
      // Without a right name of the database nothing says that it belongs to this one.
      return word.trim() === '' || at === 3 ? [] : [begins]
    })
    expect(places).toHaveLength(6)
    for (const at of places) {
      const damaged = copyOf(folder)
      writeFileSync(segmentIn(damaged), withByte(whole, at))
      expect(damaged.verify(), `byte ${at}`).toMatchObject({ ok: true, events: 6 })
      expect(await readBack(damaged), `byte ${at}`).toEqual({ seqs: upTo(6), breach: null })
      expect(readdirSync(damaged.files.segments)).toEqual([])
    }
  })

  it('whose header was damaged after some of it was taken up goes on where the log ends', async () => {
    const folder = makeStateFolder()
    const store = openWithSegment(folder.path)
    const log = await store.open(SESSION)
    threeCalls(log)
    store.openBatches()
    for (const number of [4, 5]) recordCall(log, number, [], 'durable')
    const crashed = copyOf(folder)
    store.close()
    const bytes = readFileSync(segmentIn(crashed)).fill(0, 0, HEADER_BYTES)
    writeFileSync(segmentIn(crashed), bytes)
    expect(crashed.verify()).toMatchObject({ ok: true, events: 10 })
    expect(await readBack(crashed)).toEqual({ seqs: upTo(10), breach: null })
    expect(readdirSync(crashed.files.segments)).toEqual([])
  })

  it.for([
    ['a header of zeros', (whole: Buffer) => whole.fill(0, 0, HEADER_BYTES)],
    ['no frame that holds', (whole: Buffer) => withByte(withByte(whole, 3), HEADER_BYTES + 20)],
  ] as const)('with %s is kept and named, and a repair keeps it too', async ([, damage]) => {
    const folder = await crashAfter(threeCalls, 'normal')
    const path = segmentIn(folder)
    const bytes = damage(readFileSync(path))
    writeFileSync(path, bytes)
    expect(folder.verify()).toMatchObject({ ok: false })
    expect(folder.verify().first_bad?.why).toContain(path)
    expect(readFileSync(path)).toEqual(bytes)
    await readBack(folder)
    expect(readdirSync(folder.files.segments)).toEqual([`${basename(path)}.damaged`])
    expect(readFileSync(`${path}.damaged`)).toEqual(bytes)
    expect(folder.verify().first_bad?.why).toContain(`${path}.damaged`)
    expect(await repairStore(folder.path, systemClock)).toMatchObject({ ok: true })
    expect(readFileSync(`${path}.damaged.accepted`)).toEqual(bytes)
  })

  it('control: one that its process had only begun to make is no damage, and goes', async () => {
    const folder = await crashAfter(threeCalls)
    const whole = readFileSync(segmentIn(folder))
    expect(await readBack(folder)).toEqual({ seqs: upTo(6), breach: null })
    const drafts = [
      Buffer.alloc(0),
      whole.subarray(0, 40),
      Buffer.alloc(HEADER_BYTES * 2),
      Buffer.concat([whole.subarray(0, 40)], HEADER_BYTES * 2),
    ]
    for (const [at, bytes] of drafts.entries())
      writeFileSync(join(folder.files.segments, `${'0'.repeat(31)}${at}.log`), bytes)
    expect(folder.verify()).toMatchObject({ ok: true, events: 6 })
    expect(await readBack(folder)).toEqual({ seqs: upTo(6), breach: null })
    expect(readdirSync(folder.files.segments)).toEqual([])
  })
})
