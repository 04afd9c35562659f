import { readFileSync, writeFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { openSqlite } from '../../src/host/db/sqlite.ts'
import type { Sqlite } from '../../src/host/db/sqlite.ts'
import { systemClock } from '../../src/host/system/clock.ts'
import { JournalError } from '../../src/journal/journal-error.ts'
import type { LogStore } from '../../src/journal/log.ts'
import { askSqlite } from '../../src/journal/repair/ask-sqlite.ts'
import { repairStore } from '../../src/journal/repair/repair-store.ts'
import { chooserFrom, HARDENING_SEED, roundsOf, triesOf } from '../harness/long-run.ts'
import { recordCall } from './sample-entries.ts'
import { makeStateFolder, SESSION } from './state-folder.ts'
import type { StateFolder } from './state-folder.ts'

const TRIES = triesOf(roundsOf(8, 25), 3_000)
const TIMEOUT_MS = 120_000 + 2_000 * TRIES
const CONTROL_TRIES = 60

/** Everything that the log of a folder says; null if it cannot be read. */
function readAll(folder: StateFolder): string | null {
  let store: LogStore | null = null
  try {
    store = folder.open()
    const open = store
    const entries = [...open.read(SESSION)]
    const contents = entries.map(({ entry }) =>
      entry.kind === 'settled' ? Buffer.from(open.payload(entry.result) ?? []).toString('base64') : '',
    )
    return JSON.stringify([entries, contents])
  } catch {
    return null
  } finally {
    store?.close()
  }
}

/** Overwrites some bytes of a file, or swaps two of its pages, as failing disks and careless programs do. */
function damage(file: string, choose: (limit: number) => number): void {
  const bytes = readFileSync(file)
  const places = 1 + choose(3)
  for (let place = 0; place < places; place++) {
    const at = choose(bytes.length)
    const length = [1, 1, 8, 64, 512][choose(5)] ?? 1
    for (let byte = at; byte < Math.min(at + length, bytes.length); byte++) bytes[byte] = choose(256)
  }
  writeFileSync(file, bytes)
}

async function makeOriginal(): Promise<StateFolder> {
  const original = makeStateFolder()
  await original.use((log) => {
    for (let number = 1; number <= 12; number++) recordCall(log, number, [], 'durable')
  })
  return original
}

function withDatabase<T>({ files }: StateFolder, use: (sqlite: Sqlite) => T): T {
  const sqlite = openSqlite(files.database, { busyMs: 1000 })
  try {
    return use(sqlite)
  } finally {
    sqlite.close()
  }
}

/** The texts of the two entries of one call. */
function readBodies(folder: StateFolder): readonly string[] {
  return withDatabase(folder, (sqlite) =>
    sqlite
      .statement('SELECT body FROM log WHERE seq IN (9, 10) ORDER BY seq')
      .all()
      .map(({ body }) => String(body)),
  )
}

function replaceBody(folder: StateFolder, from: string, to: string): void {
  withDatabase(folder, (sqlite) => sqlite.statement('UPDATE log SET body = ? WHERE body = ?').run(to, from))
}

/** Whether the check of a folder passes; every answer but a pass counts as noticed. */
function passes(check: () => boolean): boolean {
  try {
    return check()
  } catch (error) {
    if (error instanceof JournalError || /database|SQLite/i.test(String(error))) return false
    throw error
  }
}

describe('random damage', () => {
  it(
    'is noticed or without effect, and a repair ends well or says that it cannot',
    { timeout: TIMEOUT_MS },
    async () => {
      const choose = chooserFrom(HARDENING_SEED)
      const original = await makeOriginal()
      const whole = readAll(original)
      expect(whole).not.toBeNull()
      for (let round = 0; round < TRIES; round++) {
        const folder = makeStateFolder(original.path)
        damage(folder.files.database, choose)
        const where = { seed: HARDENING_SEED, round }
        const isFine = passes(() => folder.verify().ok)
        if (isFine) expect({ ...where, says: readAll(folder) }).toEqual({ ...where, says: whole })
        const repaired = await repairStore(folder.path, systemClock).then(
          ({ ok }) => ok,
          (error: unknown) => (error instanceof JournalError ? null : String(error)),
        )
        // Only what a second program still changes could be wrong after a repair that went through.
        expect({ ...where, repaired: repaired === null || repaired === true }).toEqual({
          ...where,
          repaired: true,
        })
        if (repaired === true) expect({ ...where, ok: folder.verify().ok }).toEqual({ ...where, ok: true })
      }
    },
  )

  it('that misspells any word of an entry is repaired', async () => {
    const original = await makeOriginal()
    const [batch = '', settled = ''] = readBodies(original)
    for (const body of [batch, settled]) {
      const words = [...body.matchAll(/[a-z]+/gi)]
      expect(words.length).toBeGreaterThan(10)
      for (const { index, 0: word } of words) {
        const folder = makeStateFolder(original.path)
        const wrong = `${body.slice(0, index)}x${word.slice(1)}${body.slice(index + word.length)}`
        replaceBody(folder, body, wrong)
        const { ok, sealed } = await repairStore(folder.path, systemClock)
        expect({ wrong, ok, sealed: sealed.map(({ entries }) => entries) }).toEqual({
          wrong,
          ok: true,
          sealed: [1],
        })
      }
    }
  })

  it.each([
    [2, 41],
    [2, 1],
    [9, 9_007_199_254],
    [9, 3],
    [24, 30],
    [1, 7],
  ])('that changes number %i of an entry to %i is repaired, and nothing is lost', async (seq, wrong) => {
    const original = await makeOriginal()
    const folder = makeStateFolder(original.path)
    const renumber = 'UPDATE log SET seq = ? WHERE seq = ?'
    withDatabase(folder, (sqlite) => sqlite.statement(renumber).run(wrong, seq))
    expect(folder.verify().ok).toBe(false)
    expect(await repairStore(folder.path, systemClock)).toMatchObject({ ok: true, sealed: [] })
    expect(readAll(folder)).toBe(readAll(original))
  })

  it('that changes the number of an entry and its words costs that entry alone', async () => {
    const folder = makeStateFolder((await makeOriginal()).path)
    const change = "UPDATE log SET seq = 41, body = replace(body, 'ada', 'bob') WHERE seq = 3"
    withDatabase(folder, (sqlite) => sqlite.run(change))
    const { ok, sealed } = await repairStore(folder.path, systemClock)
    expect([ok, sealed.map(({ entries }) => entries)]).toEqual([true, [1]])
  })

  it('control: what only SQLite is asked about misses some of it', async () => {
    const choose = chooserFrom(7)
    const original = await makeOriginal()
    const whole = readAll(original)
    let missed = 0
    for (let round = 0; round < CONTROL_TRIES; round++) {
      const folder = makeStateFolder(original.path)
      damage(folder.files.database, choose)
      const isFine = passes(() => withDatabase(folder, (sqlite) => askSqlite(sqlite) === null))
      if (isFine && readAll(folder) !== whole) missed++
    }
    expect(missed).toBeGreaterThan(0)
  })
})
