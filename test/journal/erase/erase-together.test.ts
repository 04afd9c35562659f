import { StatementSync } from 'node:sqlite'
import { expect, it, onTestFinished, vi } from 'vitest'
import { enforceLimits } from '../../../src/journal/erase/enforce-limits.ts'
import { forget } from '../../../src/journal/erase/forget.ts'
import { PATIENCE_MS } from '../../harness/patience.ts'
import { content, recordCall } from '../sample-entries.ts'
import { makeStateFolder } from '../state-folder.ts'
import type { StateFolder } from '../state-folder.ts'

const DAY_MS = 86_400_000

const sessionOf = (number: number) => ({ root: '/r', name: `s${number}` })

/** A state folder with sessions of one call each. */
async function fill(folder: StateFolder, sessions: number): Promise<void> {
  const store = folder.open('normal')
  for (let number = 1; number <= sessions; number++) {
    const log = await store.open(sessionOf(number))
    recordCall(log, number)
    log.close()
  }
  store.close()
}

/** Counts the transactions that this process commits from now on. */
function countCommits(): () => number {
  let commits = 0
  const run = StatementSync.prototype.run
  const spy = vi.spyOn(StatementSync.prototype, 'run').mockImplementation(function (
    this: StatementSync,
    ...bound: Parameters<StatementSync['run']>
  ) {
    if (this.sourceSQL === 'COMMIT') commits++
    return run.apply(this, bound)
  })
  onTestFinished(() => spy.mockRestore())
  return () => commits
}

it('forgetting many sessions commits once for many of them, and each of them records it', async () => {
  const folder = makeStateFolder()
  const sessions = 200
  await fill(folder, sessions)
  const store = folder.open()
  const commits = countCommits()
  const report = await forget(store, { is: 'before', time: Date.now() + 1000 }, { why: 'asked', waitMs: 0 })
  expect(commits()).toBeLessThan(20)
  expect(report).toMatchObject({ ok: true, payloads: 2 * sessions })
  for (let number = 1; number <= sessions; number++) {
    const entries = [...store.read(sessionOf(number))].map(({ entry }) => entry)
    expect(entries.at(-1)).toMatchObject({ kind: 'forgotten', payloads: 2 })
    expect(store.payload(content(`result ${number}`).digest)).toBeNull()
  }
  store.close()
  expect(folder.verify()).toMatchObject({ ok: true, sessions })
})

it('so do the limits', async () => {
  const folder = makeStateFolder()
  const sessions = 130
  await fill(folder, sessions)
  const store = folder.open()
  const commits = countCommits()
  expect(await enforceLimits(store, { maxBytes: 0, maxAgeDays: 1 }, Date.now() + 9 * DAY_MS)).toBeGreaterThan(
    0,
  )
  // Where each session is to be swept from next is a small write of its own that waits for no disk.
  expect(commits()).toBeLessThan(sessions + 30)
  expect(store.payload(content(`result ${sessions}`).digest)).toBeNull()
  store.close()
  expect(folder.verify()).toMatchObject({ ok: true })
})

it('while it waits for a busy session, no other session is kept from its users', async () => {
  const folder = makeStateFolder()
  await fill(folder, 3)
  const [store, other] = [folder.open(), folder.open()]
  const busy = await other.open(sessionOf(2))
  const selection = { is: 'before', time: Date.now() + 1000 } as const
  const forgetting = forget(store, selection, { why: 'asked', waitMs: PATIENCE_MS })
  const first = await other.open(sessionOf(1), PATIENCE_MS)
  expect([...first.newestFirst()][0]?.entry.kind).toBe('forgotten')
  first.close()
  busy.close()
  expect(await forgetting).toMatchObject({ ok: true, payloads: 6 })
  other.close()
  store.close()
})

it('what does not fit into a portion is erased in several, and nothing is left out', async () => {
  const folder = makeStateFolder()
  await fill(folder, 10)
  const store = folder.open()
  const options = { why: 'asked', waitMs: 0, portionBytes: 10 }
  const report = await forget(store, { is: 'before', time: Date.now() + 1000 }, options)
  expect(report).toMatchObject({ ok: true, payloads: 20 })
  const kinds = [...store.read(sessionOf(1))].map(({ entry }) => entry.kind)
  expect(kinds).toEqual(['batch', 'settled', 'forgotten', 'forgotten'])
  store.close()
  expect(folder.verify()).toMatchObject({ ok: true })
})
