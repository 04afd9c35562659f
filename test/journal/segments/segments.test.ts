import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { NoteEntry } from '../../../src/journal/entries/entry.ts'
import { forget } from '../../../src/journal/erase/forget.ts'
import type { LogStore, SessionLog } from '../../../src/journal/log.ts'
import { HEADER_BYTES } from '../../../src/journal/segments/segment-header.ts'
import { changeOf, content, declareCall, payloadsOf, recordCall, settledOf } from '../sample-entries.ts'
import { journalErrorOf, makeStateFolder, SESSION } from '../state-folder.ts'
import type { StateFolder } from '../state-folder.ts'
import { copyOf, crashAfter, openWithSegment, segmentIn, segmentsIn } from './crash-image.ts'

const note = (about: string): NoteEntry => ({ kind: 'note', about, execution: null, data: null })

/** The numbers of all entries. */
const seqsIn = (store: LogStore): readonly number[] => [...store.read(SESSION)].map(({ seq }) => seq)
const upTo = (count: number): readonly number[] => Array.from({ length: count }, (_, at) => at + 1)

/** Where the written part of a segment ends. */
function endOf(path: string): number {
  const bytes = readFileSync(path)
  let end = bytes.length
  while (end > 0 && bytes[end - 1] === 0) end--
  return end
}

/** Opens a state folder, says what it holds, and closes it. */
async function readBack(folder: StateFolder): Promise<{ seqs: readonly number[]; breach: string | null }> {
  const store = folder.open()
  try {
    const log = await store.open(SESSION, 0)
    return { seqs: seqsIn(store), breach: log.breach?.why ?? null }
  } finally {
    store.close()
  }
}

const threeCalls = (log: SessionLog): void => {
  for (const number of [1, 2, 3]) recordCall(log, number, [], 'durable')
}

describe('what waits in a segment', () => {
  it('is read at once: entries, contents, the ledger, open batches; by another store too', async () => {
    const folder = makeStateFolder()
    const store = openWithSegment(folder.path)
    const log = await store.open(SESSION)
    threeCalls(log)
    declareCall(log, 4)
    log.append({
      entries: [note('seen')],
      seen: [{ path: 'a.txt', digest: content('a').digest, at: 5, range: null }],
      reliance: 'recorded',
    })
    expect(endOf(segmentIn(folder))).toBeGreaterThan(HEADER_BYTES)
    const other = folder.open()
    for (const one of [store, other]) {
      expect(seqsIn(one)).toEqual(upTo(8))
      expect(one.openBatches().map(({ batch }) => batch)).toEqual(['b4'])
      expect(one.payload(content('result 3').digest)).toEqual(content('result 3').bytes)
      expect(one.ledger(SESSION, 'a.txt')).toMatchObject({ at: 5 })
    }
    recordCall(log, 5, [], 'durable')
    expect(seqsIn(other)).toEqual(upTo(10))
    expect([...log.newestFirst()].map(({ seq }) => seq)).toEqual(upTo(10).toReversed())
    expect(folder.verify()).toMatchObject({ ok: true, events: 10 })
    other.close()
    store.close()
    expect(segmentsIn(folder)).toEqual([])
    expect(readdirSync(folder.files.segments)).toEqual([])
    expect(await readBack(folder)).toEqual({ seqs: upTo(10), breach: null })
  })

  it('is taken up once, however often and by whomever', async () => {
    const folder = await crashAfter(threeCalls)
    const [one, other] = [folder.open(), folder.open()]
    expect([seqsIn(one), seqsIn(other)]).toEqual([upTo(6), upTo(6)])
    expect(one.openBatches()).toEqual(other.openBatches())
    one.close()
    other.close()
    expect(segmentsIn(folder)).toEqual([])
    expect(folder.verify()).toMatchObject({ ok: true, events: 6 })
  })

  it('is kept by a process that reads and is killed before it has taken it up', async () => {
    const folder = await crashAfter(threeCalls)
    // Such a process has changed nothing: taking up is one transaction.
    expect(await readBack(copyOf(folder))).toEqual({ seqs: upTo(6), breach: null })
    expect(folder.verify()).toMatchObject({ ok: true, events: 6 })
  })

  it('goes on in the same file when that is full, and nothing is lost on the way', async () => {
    const folder = makeStateFolder()
    const store = openWithSegment(folder.path, 'normal')
    const log = await store.open(SESSION)
    const big = 'x'.repeat(2_000)
    let crashed: StateFolder | null = null
    for (let number = 1; number <= 900; number++) {
      declareCall(log, number)
      const entry = { ...settledOf(`b${number}`, number), result: content(`${big}${number}`).digest }
      log.append({ entries: [entry], payloads: payloadsOf(`${big}${number}`), reliance: 'durable' })
      if (number === 850) crashed = copyOf(folder)
    }
    expect(statSync(segmentIn(folder)).size).toBeGreaterThan(1024 ** 2)
    expect(seqsIn(store)).toEqual(upTo(1800))
    store.close()
    expect(folder.verify()).toMatchObject({ ok: true, events: 1800 })
    expect(crashed === null ? null : (await readBack(crashed)).seqs).toEqual(upTo(1700))
  })

  it('is in front of an edit of the same session, and of no other one', async () => {
    const folder = makeStateFolder()
    const [one, other] = [openWithSegment(folder.path), openWithSegment(folder.path)]
    const log = await one.open(SESSION)
    const beside = await other.open({ ...SESSION, name: 'beside' })
    threeCalls(log)
    recordCall(beside, 10, [], 'durable')
    beside.append({ entries: [], payloads: payloadsOf('x', 'y'), reliance: 'recorded' })
    recordCall(beside, 11, [changeOf('a', 'x', 'y')], 'durable')
    let unlanded: readonly string[] = []
    declareCall(log, 4)
    log.append({
      entries: [settledOf('b4', 4, [changeOf('b', 'x', 'y')])],
      payloads: payloadsOf('result 4', 'x', 'y'),
      reliance: 'durable',
      confirm: (changes) => {
        unlanded = changes.map(({ path }) => path)
      },
    })
    expect(unlanded).toEqual(['a'])
    expect([seqsIn(one), seqsIn(other)]).toEqual([upTo(8), upTo(8)])
    one.close()
    other.close()
    expect(folder.verify()).toMatchObject({ ok: true, events: 12 })
  })

  it('is erased from every file, in the segment of a live process too', async () => {
    const folder = makeStateFolder()
    const live = openWithSegment(folder.path)
    const log = await live.open(SESSION)
    threeCalls(log)
    const secret = 'a very secret content that must go'
    const other = openWithSegment(folder.path)
    const spoiled = await other.open({ ...SESSION, name: 'spoiled' })
    recordCall(spoiled, 10, [], 'durable')
    for (const [one, number] of [
      [spoiled, 11],
      [log, 4],
    ] as const) {
      declareCall(one, number)
      const entry = { ...settledOf(`b${number}`, number), result: content(secret).digest }
      one.append({ entries: [entry], payloads: payloadsOf(secret), reliance: 'durable' })
    }
    const holds = (): readonly string[] =>
      readdirSync(folder.path, { recursive: true, withFileTypes: true })
        .filter((one) => one.isFile() && readFileSync(join(one.parentPath, one.name)).includes(secret))
        .map(({ name }) => name)
    expect(holds()).toHaveLength(2)
    spoiled.close()
    log.close()
    const later = Date.now() + 60_000
    expect(await forget(other, { is: 'before', time: later }, { why: 'test' })).toMatchObject({ ok: true })
    expect(other.scrub()).toBe(true)
    expect(holds()).toEqual([])
    const again = await live.open(SESSION)
    recordCall(again, 20, [], 'durable')
    expect(again.breach).toBeNull()
    live.close()
    other.close()
    expect(folder.verify()).toMatchObject({ ok: true })
  })
})

describe('a damaged segment', () => {
  it('that ends in the middle of a frame has everything before that frame', async () => {
    const folder = await crashAfter((log) => {
      threeCalls(log)
      log.append({ entries: [note('last')], reliance: 'recorded' })
    })
    const path = segmentIn(folder)
    const end = endOf(path)
    const whole = readFileSync(path)
    const begins = whole.lastIndexOf('{"kind":"note"')
    expect(begins).toBeGreaterThan(0)
    // The row before the text has numbers, a hash and a word; the frame begins at most this far before it.
    for (let cut = begins - 70; cut < end; cut += 19) {
      const torn = copyOf(folder)
      writeFileSync(segmentIn(torn), Buffer.concat([whole.subarray(0, cut)], whole.length))
      expect(await readBack(torn), `cut at ${cut} of ${end}`).toEqual({ seqs: upTo(6), breach: null })
      expect(torn.verify(), `cut at ${cut} of ${end}`).toMatchObject({ ok: true })
    }
  })

  it('that is lost is noticed, because what was durable is missing', async () => {
    const folder = await crashAfter(threeCalls)
    rmSync(segmentIn(folder))
    expect(folder.verify()).toMatchObject({ ok: false })
    expect((await readBack(folder)).breach).toContain('is missing')
  })

  it('that holds whole frames after a bad one is named, and kept', async () => {
    const folder = await crashAfter(threeCalls, 'normal')
    const path = segmentIn(folder)
    const bytes = readFileSync(path)
    const at = bytes.indexOf('"batch":"b2"')
    bytes[at] = 0x21
    writeFileSync(path, bytes)
    expect(folder.verify()).toMatchObject({ ok: false })
    const { seqs } = await readBack(folder)
    expect(seqs.length).toBeLessThan(6)
    expect(segmentsIn(folder)).toEqual([])
    expect(readdirSync(folder.files.segments).filter((name) => name.endsWith('.damaged'))).toHaveLength(1)
    expect(folder.verify()).toMatchObject({ ok: false })
  })

  it('of a later version is refused and left as it is', async () => {
    const folder = await crashAfter(threeCalls)
    const path = segmentIn(folder)
    const bytes = readFileSync(path)
    const [magic = '', , ...rest] = bytes.subarray(0, HEADER_BYTES).toString('latin1').trimEnd().split(' ')
    const text = [magic, '2', ...rest.slice(0, -1)].join(' ')
    const { crc32 } = await import('node:zlib')
    bytes.write(`${text} ${crc32(text)}`.padEnd(HEADER_BYTES - 1), 0, 'latin1')
    writeFileSync(path, bytes)
    expect((await journalErrorOf(() => folder.open())).code).toBe('newer_schema')
    expect(readFileSync(path)).toEqual(bytes)
  })
})
