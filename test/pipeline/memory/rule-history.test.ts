import { describe, expect, it } from 'vitest'
import { createRegistry } from '../../../src/core/registry.ts'
import type { Entry, StoredEntry } from '../../../src/journal/entries/entry.ts'
import type { SessionLog } from '../../../src/journal/log.ts'
import { openMemoryStore } from '../../../src/journal/store/memory-store.ts'
import { createRuleHistory } from '../../../src/pipeline/memory/rule-history.ts'
import { bookOf } from '../../policy/rules/rule-bench.ts'
import type { ShortRule } from '../../policy/rules/rule-bench.ts'
import { stage } from '../plan/rule-stage.ts'

const ENTRIES = 20_000
const clock = { now: () => 1000, elapsed: () => 0 }
const PLACE = { turn: 't', pass: 't', isFreshTurn: true }

/** A long session, and how many of its entries were read so far. */
async function longLog(time = clock): Promise<{ readonly log: SessionLog; readonly count: () => number }> {
  const log = await openMemoryStore(time).open({ root: '/r', name: 's' })
  const entries = Array.from(
    { length: ENTRIES },
    (_, data) => ({ kind: 'note', about: 'x', execution: null, data }) as const,
  )
  for (const entry of entries) log.append({ entries: [entry], reliance: 'recorded' })
  let count = 0
  function* counted(stored: Iterable<StoredEntry>): Generator<StoredEntry> {
    for (const one of stored) {
      count++
      yield one
    }
  }
  const watched = {
    ...log,
    entries: (from?: number) => counted(log.entries(from)),
    newestFirst: (kind?: Entry['kind']) => counted(log.newestFirst(kind)),
  }
  return { log: watched, count: () => count }
}

function history() {
  return createRuleHistory(
    bookOf([{ tool: 'a', type: 'MaxCalls', max: 2 }]),
    createRegistry([]),
    () => 0,
    clock.now,
  )
}

describe('the history that rules look back at', () => {
  it('is read in turns with other events, and once', async () => {
    const { log, count } = await longLog()
    const rules = history()
    let turns = 0
    let isDone = false
    const countTurn = (): void => {
      turns++
      if (!isDone) setImmediate(countTurn)
    }
    setImmediate(countTurn)
    await rules.prepare(log, null)
    isDone = true
    expect(turns).toBeGreaterThan(10)
    expect(count()).toBe(ENTRIES)
    log.append({
      entries: [{ kind: 'undo', execution: 'u', calls: [], changes: [], actor: null }],
      reliance: 'recorded',
    })
    rules.stateFor(log, PLACE)
    expect(rules.workspaceCounter(log)).toBe(ENTRIES + 1)
    expect(count()).toBe(ENTRIES + 1)
    expect(rules.prepare(log, null)).toBeUndefined()
  })

  it('takes up what is written while it is read', async () => {
    const { log } = await longLog()
    const rules = history()
    setImmediate(() =>
      log.append({
        entries: [{ kind: 'undo', execution: 'u', calls: [], changes: [], actor: null }],
        reliance: 'recorded',
      }),
    )
    await rules.prepare(log, null)
    expect(rules.workspaceCounter(log)).toBe(ENTRIES + 1)
  })

  it('is not read any further once the run was stopped', async () => {
    const { log, count } = await longLog()
    const stop = new AbortController()
    setImmediate(() => stop.abort())
    await expect(history().prepare(log, null, stop.signal)).rejects.toMatchObject({ code: 'wait_stopped' })
    expect(count()).toBeLessThan(ENTRIES / 10)
  })

  it('a call that is stopped meanwhile is not begun', async () => {
    const s = await stage([{ tool: 'a', type: 'MaxCalls', max: 2 }], {
      config: { 'tools.max_tool_calls_per_batch': 1000 },
    })
    await s.turn(Array.from({ length: 600 }, () => 'b'))
    await s.restart()
    const before = [...s.runtime().log()].length
    const stop = new AbortController()
    setImmediate(() => stop.abort())
    await expect(s.turn(['a'], { signal: stop.signal })).rejects.toMatchObject({ code: 'wait_stopped' })
    expect([...s.runtime().log()]).toHaveLength(before)
    expect(await s.turn(['a', 'a'])).toEqual(['ok', 'ok'])
  })

  it.each<readonly [string, ShortRule, number]>([
    ['nothing of earlier turns', { tool: 'a', type: 'MaxCalls', max: 2 }, 0],
    ['nothing of earlier turns', { tool: 'a', type: 'RequiresPrecedingTools', tools: ['b'] }, 0],
    ['no more than the longest rest', { tool: 'a', type: 'Cooldown', seconds: 10 }, 10],
    ['no more than the window of duplicates', { tool: 'a', type: 'AlwaysDedupe' }, 300],
  ])('is %s for %o, however much happened lately', async (_what, rule, seconds) => {
    let now = 0
    const { log, count } = await longLog({ now: () => (now += 10), elapsed: () => 0 })
    const rules = createRuleHistory(
      bookOf([rule]),
      createRegistry([]),
      () => 0,
      () => now + 1,
    )
    await rules.prepare(log, null)
    rules.stateFor(log, PLACE)
    // There are a hundred entries a second, for 200 s; the first that is too old is looked at too.
    expect(count()).toBe(seconds > 200 ? ENTRIES : seconds * 100 + 1)
  })
})
