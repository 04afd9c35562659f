import { Buffer } from 'node:buffer'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, it } from 'vitest'
import { digest } from '../../src/host/system/hash.ts'
import { readBootId } from '../../src/host/system/platform.ts'
import { encodeFrame } from '../../src/journal/segments/frame.ts'
import { encodeHeader, seedOf } from '../../src/journal/segments/segment-header.ts'
import { recordCall } from './sample-entries.ts'
import { makeStateFolder, SESSION } from './state-folder.ts'
import type { StateFolder } from './state-folder.ts'

/** The result that the second call is going to have. */
const COMING = digest('result 2')
const EVIL = Buffer.from('EVIL')

/** Ways to put another content under that digest. */
const PLANT: Readonly<Record<string, (folder: StateFolder) => void>> = {
  'a row of the log': ({ tamper }) =>
    tamper("INSERT INTO log (kind, hash, body) VALUES ('payload', ?, ?)", Buffer.from(COMING, 'hex'), EVIL),
  'a segment': ({ files }) => {
    const database = new DatabaseSync(files.database, { readOnly: true })
    const row = database.prepare("SELECT value FROM meta WHERE key = 'database'").get()
    database.close()
    const id = 'b'.repeat(32)
    const header = { id, database: String(row?.['value']), boot: readBootId() ?? '', epoch: 1 }
    const frame = encodeFrame([{ is: 'payload', digest: COMING, bytes: EVIL }], seedOf(header))
    mkdirSync(files.segments, { recursive: true, mode: 0o700 })
    const bytes = Buffer.concat([encodeHeader(header), frame ?? Buffer.alloc(0), Buffer.alloc(4096)])
    writeFileSync(join(files.segments, `${id}.log`), bytes)
  },
}

describe('a content that is planted under the digest of one that comes later', () => {
  it.each(
    Object.keys(PLANT).flatMap(
      (kind) =>
        [
          [kind, false],
          [kind, true],
        ] as const,
    ),
  )('as %s does not take its place (in the tables: %s)', async (kind, isFolded) => {
    const folder = makeStateFolder()
    await folder.use((log) => void recordCall(log, 1, [], 'durable'))
    PLANT[kind]?.(folder)
    if (isFolded) await folder.use((_log, store) => void store.counts(SESSION.root))
    await folder.use((log, store) => {
      recordCall(log, 2, [], 'durable')
      expect(Buffer.from(store.payload(COMING) ?? []).toString()).toBe('result 2')
    })
    expect(folder.verify()).toMatchObject({ ok: true, events: 4, erased: 0 })
  })

  it.each(['a row of the log', 'a segment'])(
    'as %s while a process writes does not take its place',
    async (kind) => {
      for (const use of ['never', 'always'] as const) {
        const folder = makeStateFolder()
        const store = folder.open('full', use)
        const log = await store.open(SESSION, 0)
        recordCall(log, 1, [], 'durable')
        PLANT[kind]?.(folder)
        recordCall(log, 2, [], 'durable')
        expect(Buffer.from(store.payload(COMING) ?? []).toString()).toBe('result 2')
        store.close()
        expect(folder.verify()).toMatchObject({ ok: true, erased: 0 })
      }
    },
  )
})
