import { describe, expect, it } from 'vitest'
import type { SessionLog } from '../../../src/journal/log.ts'
import { createIds } from '../../../src/host/system/ids.ts'
import { openMemoryStore } from '../../../src/journal/store/memory-store.ts'
import { finish } from '../../../src/pipeline/memory/finish-steps.ts'
import { bornAt, readRecent as stepsOfRecent } from '../../../src/pipeline/memory/read-recent.ts'
import { NO, stage } from '../plan/rule-stage.ts'

async function logAt(times: readonly number[]): Promise<SessionLog> {
  let now = 0
  const clock = { now: () => now, elapsed: () => now }
  const log = await openMemoryStore(clock).open({ root: '/r', name: 's' })
  for (const time of times) {
    now = time
    log.append({ entries: [{ kind: 'note', about: 'x', execution: null, data: time }], reliance: 'recorded' })
  }
  return log
}

const readRecent = (...given: Parameters<typeof stepsOfRecent>) => finish(stepsOfRecent(...given))

const timesOf = (recent: ReturnType<typeof readRecent>) => recent?.entries.map(({ at }) => at)

describe('the part of a log that rules look back at', () => {
  it('is what is newer than a moment, to the millisecond', async () => {
    const log = await logAt([10, 20, 30, 40])
    expect(timesOf(readRecent(log, 30, null))).toEqual([30, 40])
    expect(timesOf(readRecent(log, 31, null))).toEqual([40])
    expect(readRecent(log, 5, null)).toMatchObject({ since: -Infinity })
  })

  it('reaches back to where a turn began, and is the whole log where that is not known', async () => {
    const log = await logAt([10, 20, 30, 40])
    const turn = createIds({ now: () => 20, elapsed: () => 0 })()
    expect(bornAt(turn)).toBe(20)
    expect(timesOf(readRecent(log, 40, turn))).toEqual([20, 30, 40])
    expect(readRecent(log, 40, 't1')).toBeNull()
  })

  it('is the whole log where the clock was set back on the way', async () => {
    expect(readRecent(await logAt([10, 50, 30, 40]), 25, null)).toBeNull()
  })

  it('a turn that began long ago is still counted after a restart', async () => {
    const s = await stage([{ tool: 'a', type: 'MaxCalls', max: 2 }])
    await s.turn(['a'])
    const batch = [...s.runtime().log({ session: 's' })].flatMap(({ entry }) =>
      entry.kind === 'batch' ? [entry] : [],
    )[0]
    const turn = batch?.turn ?? ''
    s.clock.goOn(7_200_000)
    await s.restart()
    expect(await s.turn(['b'])).toEqual(['ok'])
    expect(await s.turn(['a', 'a'], { turn })).toEqual(['ok', NO])
  })

  it('a turn that was only partly read is read whole once it goes on', async () => {
    const s = await stage([{ tool: 'a', type: 'MaxCalls', max: 2 }])
    await s.turn(['a'])
    const [first] = [...s.runtime().log({ session: 's' })]
    const turn = first?.entry.kind === 'batch' ? first.entry.turn : ''
    s.clock.goOn(7_200_000)
    expect(await s.turn(['b'], { turn })).toEqual(['ok'])
    await s.restart()
    expect(await s.turn(['b'])).toEqual(['ok'])
    expect(await s.turn(['a', 'a'], { turn })).toEqual(['ok', NO])
  })

  it('a call that waited long for its answer is still known by its arguments afterwards', async () => {
    const s = await stage([{ tool: 'push', type: 'RequiresConsent' }], { approve: 'later' })
    expect(await s.turn(['push'])).toEqual(['approval_required'])
    s.clock.goOn(3_600_000)
    await s.restart()
    const { results } = await s.runtime().decide('all', { isApproved: true })
    expect(results.map(({ ok }) => ok)).toEqual([true])
    await s.restart()
    expect(await s.turn(['push'])).toEqual(['deduplicated'])
    expect(await s.turn([{ name: 'push', args: { word: 'x' } }])).toEqual(['approval_required'])
  })
})

describe('what deduplication looks back at where there are no rules', () => {
  const config = { 'tools.max_tool_calls_per_batch': 1000 }
  const reads = Array.from({ length: 300 }, () => 'a')

  it('is a call with effects, however many calls have only read since', async () => {
    const s = await stage([], { config })
    expect(await s.turn(['push'])).toEqual(['ok'])
    await s.turn(reads)
    await s.restart()
    expect(await s.turn(['push'])).toEqual(['deduplicated'])
    s.clock.goOn(300_000)
    await s.restart()
    expect(await s.turn(['push'])).toEqual(['ok'])
  })

  it('is an edit that changed nothing, too, until one changes something', async () => {
    const s = await stage([], { config })
    const write = (content: string) => ({ name: 'write_file', args: { path: 'a.txt', content } })
    expect(await s.turn([write('one')])).toEqual(['ok'])
    expect(await s.turn([{ name: 'read_file', args: { path: 'a.txt' } }])).toEqual(['ok'])
    expect(await s.turn([write('one')])).toEqual(['ok'])
    expect(await s.turn(['push'])).toEqual(['ok'])
    await s.turn(reads)
    await s.restart()
    expect(await s.turn([write('one'), 'push'])).toEqual(['deduplicated', 'deduplicated'])
    expect(await s.turn([write('two')])).toEqual(['ok'])
    await s.restart()
    expect(await s.turn(['push'])).toEqual(['ok'])
  })

  it('is still known in the later rounds of a turn', async () => {
    const s = await stage([], { config })
    expect(await s.turn(['push'])).toEqual(['ok'])
    await s.restart()
    const turn = createIds({ now: s.clock.now, elapsed: s.clock.elapsed })()
    expect(await s.turn(['a'], { turn })).toEqual(['ok'])
    expect(await s.turn(['push'], { turn })).toEqual(['deduplicated'])
  })
})
