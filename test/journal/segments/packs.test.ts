import { DatabaseSync } from 'node:sqlite'
import { describe, expect, it } from 'vitest'
import { systemClock } from '../../../src/host/system/clock.ts'
import type { SessionLog } from '../../../src/journal/log.ts'
import { repairStore } from '../../../src/journal/repair/repair-store.ts'
import { content, declareCall, execution, payloadsOf, recordCall, settledOf } from '../sample-entries.ts'
import { makeStateFolder, SESSION } from '../state-folder.ts'
import type { StateFolder } from '../state-folder.ts'
import { openWithSegment } from './crash-image.ts'

const CALLS = 200

/** A journal whose entries were taken up together. */
async function fillFolder(): Promise<StateFolder> {
  const folder = makeStateFolder()
  const store = openWithSegment(folder.path)
  const log: SessionLog = await store.open(SESSION)
  for (let number = 1; number < CALLS; number++) recordCall(log, number, [], 'durable')
  declareCall(log, CALLS)
  const refused = { ...settledOf(`b${CALLS}`, CALLS), effect: 'edit' } as const
  log.append({ entries: [refused], payloads: payloadsOf(`result ${CALLS}`), reliance: 'durable' })
  store.close()
  return folder
}

function ask({ files }: StateFolder, sql: string): readonly Readonly<Record<string, unknown>>[] {
  const database = new DatabaseSync(files.database, { readOnly: true })
  try {
    return database.prepare(sql).all()
  } finally {
    database.close()
  }
}

describe('entries that are taken up together', () => {
  it('are stored together, and read, looked up, verified and erased like all others', async () => {
    const folder = await fillFolder()
    const [bodies] = ask(
      folder,
      "SELECT count(*) AS packed FROM log WHERE seq IS NOT NULL AND typeof(body) = 'integer'",
    )
    expect(bodies?.['packed']).toBeGreaterThan(CALLS)
    const store = folder.open()
    const log = await store.open(SESSION)
    const kinds = [...log.entries()].map(({ entry }) => entry.kind)
    expect(kinds).toEqual(Array.from({ length: CALLS }, () => ['batch', 'settled']).flat())
    expect(log.about(execution(150)).map(({ entry }) => entry.kind)).toEqual(['batch', 'settled'])
    expect([...log.newestFirst()].map(({ seq }) => seq)).toHaveLength(2 * CALLS)
    expect(log.payload(content('result 150').digest)).not.toBeNull()
    expect(log.holdsFrom(1)).toBe(true)
    expect([...log.edits()].map(({ seq }) => seq)).toEqual([2 * CALLS])
    while (!store.uses.update());
    expect(store.uses.cutoffFor(1)).toBeGreaterThan(1)
    store.close()
    expect(folder.verify()).toMatchObject({ ok: true, events: 2 * CALLS })
  })

  it('take a fraction of the room', async () => {
    const [size] = ask(await fillFolder(), 'SELECT sum(length(texts)) AS bytes FROM pack')
    expect(Number(size?.['bytes']) / CALLS).toBeLessThan(200)
  })

  it.for([
    ['are changed', 'UPDATE pack SET texts = zeroblob(length(texts))'],
    ['are removed', 'DELETE FROM pack'],
    ['are exchanged', 'UPDATE log SET body = body + 1 WHERE seq = 30'],
  ] as const)('and then %s are named, and the rest of the session goes on', async ([, sql]) => {
    const folder = await fillFolder()
    const [first] = ask(folder, "SELECT min(seq) AS seq FROM log WHERE typeof(body) = 'integer'")
    folder.tamper(sql)
    const seq = sql.includes('seq = 30') ? 30 : Number(first?.['seq'])
    expect(folder.verify()).toMatchObject({ ok: false, first_bad: { session: 's', seq } })
    await folder.use((log) => {
      expect([...log.entries()]).toHaveLength(2 * CALLS)
      recordCall(log, CALLS + 1, [], 'durable')
    })
    expect(await repairStore(folder.path, systemClock)).toBeDefined()
    expect(folder.verify()).toMatchObject({ ok: true })
  })
})
