import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, it } from 'vitest'
import { systemClock } from '../../src/host/system/clock.ts'
import { explainFault } from '../../src/journal/explain-fault.ts'
import { MIGRATIONS } from '../../src/journal/store/schema.ts'
import { openSqliteStore } from '../../src/journal/store/sqlite-store.ts'
import { giveAway, letThrough, runUnder, runUnprivileged } from './processes.ts'
import { recordCall, settledOf } from './sample-entries.ts'
import { journalErrorOf, makeStateFolder, SESSION } from './state-folder.ts'
import type { StateFolder } from './state-folder.ts'
import { seen } from './store-contract.ts'

async function makeUsed(): Promise<StateFolder> {
  const folder = makeStateFolder()
  await folder.use((log) => recordCall(log, 1, [], 'durable'))
  return folder
}

const openWith = (folder: StateFolder, migrations: readonly string[]) =>
  openSqliteStore({ stateDir: folder.path, durability: 'full', clock: systemClock, migrations })

describe('a journal that cannot be used is refused, and left as it is', () => {
  it('one that a newer program wrote', async () => {
    const folder = await makeUsed()
    folder.tamper('PRAGMA user_version = 99')
    const before = readFileSync(folder.files.database)
    const error = await journalErrorOf(() => folder.open())
    expect(error).toMatchObject({ code: 'newer_schema' })
    expect(error.message).toContain(folder.files.database)
    expect(error.message).toContain('99')
    expect(error.hint).toContain('newer version')
    expect(readFileSync(folder.files.database).equals(before)).toBe(true)
  })

  it.for([
    ['by its id', 'PRAGMA application_id = 7'],
    ['without an id', 'PRAGMA application_id = 0'],
  ] as const)('a database of another program, told %s', async ([, sql]) => {
    const folder = await makeUsed()
    folder.tamper(sql)
    const before = readFileSync(folder.files.database)
    expect((await journalErrorOf(() => folder.open())).code).toBe('foreign')
    expect(readFileSync(folder.files.database).equals(before)).toBe(true)
  })

  it.for([
    ['garbage', (path: string) => writeFileSync(path, Buffer.alloc(20_000, 'garbage '))],
    ['a torn header', (path: string) => writeFileSync(path, readFileSync(path).fill(0xff, 0, 100))],
    ['half a file', (path: string) => truncateSync(path, 6000)],
    ['nothing at all', (path: string) => truncateSync(path, 0)],
    ['text', (path: string) => writeFileSync(path, 'SQLite format 4\0 and so on')],
  ] as const)('%s: a copy is kept, and no new journal is made', async ([, spoil]) => {
    const folder = await makeUsed()
    spoil(folder.files.database)
    const before = readFileSync(folder.files.database)
    for (const attempt of [1, 2]) {
      const error = await journalErrorOf(async () => {
        const store = folder.open()
        await store.open(SESSION, 0).finally(store.close)
      })
      expect(error.code, `attempt ${attempt}`).toBe('damaged')
      expect(error.hint).toContain('.damaged-')
    }
    const copies = readdirSync(folder.path).filter(
      (name) => name.includes('.damaged-') && !name.endsWith('-wal'),
    )
    expect(copies).toHaveLength(1)
    const copy = join(folder.path, copies[0] ?? '')
    expect(readFileSync(copy).equals(before)).toBe(true)
    expect(statSync(copy).mode & 0o777).toBe(0o600)
    expect(readFileSync(folder.files.database).equals(before)).toBe(true)
  })

  it('damage that is met later is refused from then on, with a copy', async () => {
    const folder = makeStateFolder()
    await folder.use((log) => {
      for (let number = 0; number < 60; number++) recordCall(log, number)
    })
    const bytes = readFileSync(folder.files.database)
    writeFileSync(folder.files.database, bytes.fill(0xab, 8 * 4096))
    const error = await journalErrorOf(async () => {
      const store = folder.open()
      try {
        const log = await store.open(SESSION, 0)
        for (const { seq } of log.newestFirst())
          log.append({
            entries: [],
            seen: [{ path: `/${seq}`, digest: null, at: 1, range: null }],
            reliance: 'durable',
          })
      } finally {
        store.close()
      }
    })
    expect(error.code).toBe('damaged')
    expect(readdirSync(folder.path).some((name) => name.includes('.damaged-'))).toBe(true)
  })

  it('one that was removed since, although the key and the anchors are there', async () => {
    const folder = await makeUsed()
    rmSync(folder.files.database)
    const error = await journalErrorOf(() => folder.open())
    expect(error.code).toBe('missing')
    expect(error.hint).toContain(folder.path)
    expect(existsSync(folder.files.database)).toBe(false)
  })

  it.for(['the database', 'its write-ahead log', 'the whole folder'] as const)(
    '%s is removed while in use',
    async (what) => {
      const folder = await makeUsed()
      const store = folder.open()
      const log = await store.open(SESSION)
      recordCall(log, 2, [], 'durable')
      const path = {
        'the database': folder.files.database,
        'its write-ahead log': folder.files.writeAheadLog,
        'the whole folder': folder.path,
      }[what]
      rmSync(path, { recursive: true })
      for (const reliance of ['durable', 'recorded'] as const) {
        const error = await journalErrorOf(() => recordCall(log, 3, [], reliance))
        expect(error.code).toBe('removed')
        expect(error.message).toContain(folder.files.database)
      }
      store.close()
    },
  )

  it('another file takes its place while in use', async () => {
    const folder = await makeUsed()
    const copy = join(folder.path, 'copy')
    copyFileSync(folder.files.database, copy)
    const store = folder.open()
    const log = await store.open(SESSION)
    recordCall(log, 2, [], 'durable')
    renameSync(copy, folder.files.database)
    expect((await journalErrorOf(() => recordCall(log, 3, [], 'durable'))).code).toBe('removed')
    store.close()
  })

  it.for([
    ['a folder', (folder: StateFolder) => chmodSync(folder.path, 0o500)],
    ['a database', (folder: StateFolder) => chmodSync(folder.files.database, 0o400)],
  ] as const)('%s that is read-only', async ([, protect]) => {
    const folder = await makeUsed()
    letThrough(dirname(folder.path))
    const paths = readdirSync(folder.path, { recursive: true }).map((name) => join(folder.path, String(name)))
    giveAway(folder.path, ...paths)
    protect(folder)
    const said = JSON.parse(runUnprivileged('once', folder.path, 's')) as { code: string; hint: string }
    expect(said.code).toBe('read_only')
    expect(said.hint).toContain('TONGS_STATE_DIR')
    chmodSync(folder.path, 0o700)
    chmodSync(folder.files.database, 0o600)
    expect(runUnprivileged('once', folder.path, 's')).toBe('done')
  })

  it('a folder that belongs to somebody else, or that others can write to', async () => {
    const folder = makeStateFolder()
    mkdirSync(folder.path)
    chmodSync(folder.path, 0o777)
    const error = await journalErrorOf(() => folder.open())
    expect(error.code).toBe('unsafe_folder')
    expect(error.hint).toContain(`chmod go-w ${folder.path}`)
    chmodSync(folder.path, 0o755)
    letThrough(dirname(folder.path))
    const said =
      process.getuid?.() === 0 ? runUnprivileged('once', folder.path, 's') : '{"code":"unsafe_folder"}'
    expect(JSON.parse(said)).toMatchObject({ code: 'unsafe_folder' })
  })

  it('a folder of our own that others can exchange for another one', async () => {
    const folder = await makeUsed()
    chmodSync(dirname(folder.path), 0o777)
    const error = await journalErrorOf(() => folder.open())
    expect(error.code).toBe('unsafe_folder')
    expect(error.message).toContain(`other users can rename what is in ${dirname(folder.path)}`)
    chmodSync(dirname(folder.path), 0o1777)
    await folder.use((log) => recordCall(log, 2, [], 'durable'))
  })

  it('a file where the folder should be', async () => {
    const folder = makeStateFolder()
    writeFileSync(folder.path, '')
    expect((await journalErrorOf(() => folder.open())).message).toContain(folder.path)
  })
})

describe('a disk that is full', () => {
  it('is called so', () => {
    const database = new DatabaseSync(':memory:')
    database.exec('PRAGMA max_page_count = 2; CREATE TABLE t (x)')
    let thrown: unknown = null
    try {
      database.exec('INSERT INTO t VALUES (zeroblob(100000))')
    } catch (error) {
      thrown = error
    }
    const error = explainFault(thrown, '/state')
    expect(error).toMatchObject({ code: 'disk_full' })
    expect(error.message).toContain('/state')
    expect(error.hint).toContain('tongs forget')
  })

  it('costs the append that did not fit, and nothing else', async () => {
    const folder = makeStateFolder()
    // In units of 512 bytes: room for the database and a write-ahead log of some 600 KB.
    const said = JSON.parse(runUnder('ulimit -f 1200', 'exhaust', folder.path, 's')) as Record<
      string,
      unknown
    >
    expect(said).toMatchObject({ code: 'io', isSame: true })
    expect(said['acknowledged']).toBeGreaterThan(3)
    await folder.use((log) => {
      expect([...log.entries()]).toHaveLength(Number(said['acknowledged']))
      recordCall(log, 1, [], 'durable')
    })
    expect(folder.verify()).toMatchObject({ ok: true, events: Number(said['acknowledged']) + 2 })
  })
})

describe('an append that fails', () => {
  it('leaves nothing behind, and the next one goes on', async () => {
    const folder = await makeUsed()
    await folder.use((log) => {
      const unwritable = { kind: 'note', about: 'x', execution: null, data: 1n as unknown as number } as const
      expect(() => log.append({ entries: [settledOf('b', 2), unwritable], reliance: 'durable' })).toThrow(
        TypeError,
      )
      const nothing = new Map([['00'.repeat(32), {} as unknown as Uint8Array]])
      expect(() =>
        log.append({
          entries: [settledOf('b', 3)],
          payloads: nothing,
          seen: [seen('/r/b', 'd', null)],
          reliance: 'durable',
        }),
      ).toThrow()
      expect(log.ledger('/r/b')).toBeNull()
      recordCall(log, 4, [], 'durable')
      expect([...log.entries()].map(({ seq }) => seq)).toEqual([1, 2, 3, 4])
    })
    expect(folder.verify()).toMatchObject({ ok: true, events: 4 })
  })
})

describe('an older journal', () => {
  const next =
    'CREATE TABLE extra (x INTEGER) STRICT; INSERT INTO extra SELECT count(*) FROM log WHERE seq IS NOT NULL'

  it('is brought up to date, step by step, and keeps what it has', async () => {
    const folder = await makeUsed()
    const store = openWith(folder, [...MIGRATIONS, next, 'INSERT INTO extra VALUES (7)'])
    const log = await store.open(SESSION)
    expect([...log.entries()]).toHaveLength(2)
    recordCall(log, 2, [], 'durable')
    store.close()
    const database = new DatabaseSync(folder.files.database)
    expect(
      database
        .prepare('SELECT x FROM extra')
        .all()
        .map((row) => row['x']),
    ).toEqual([2, 7])
    expect(database.prepare('PRAGMA user_version').get()).toEqual({ user_version: MIGRATIONS.length + 2 })
    database.close()
    openWith(folder, [...MIGRATIONS, next, 'INSERT INTO extra VALUES (7)']).close()
    expect((await journalErrorOf(() => folder.open())).code).toBe('newer_schema')
  })

  it('stays as it is when a step fails', async () => {
    const folder = await makeUsed()
    await journalErrorOf(() => openWith(folder, [...MIGRATIONS, next, 'INSERT INTO nowhere VALUES (1)']))
    expect(folder.verify()).toMatchObject({ ok: true, events: 2 })
    await folder.use((log) => recordCall(log, 2))
  })
})

describe('only the owner can read', () => {
  it.for(['000', '077', '027'])('folders and files, whatever the umask: %s', (umask) => {
    const folder = makeStateFolder()
    expect(runUnder(`umask ${umask}`, 'once', folder.path, 's')).toBe('done')
    const modes = readdirSync(folder.path, { recursive: true }).map((name) =>
      statSync(join(folder.path, String(name))),
    )
    expect(statSync(folder.path).mode & 0o777).toBe(0o700)
    for (const found of modes) expect(found.mode & 0o777).toBe(found.isDirectory() ? 0o700 : 0o600)
    expect(readFileSync(folder.files.key)).toHaveLength(32)
  })

  it('also while it is open, and in a folder that others could look into before', async () => {
    const folder = makeStateFolder()
    mkdirSync(folder.path)
    chmodSync(folder.path, 0o755)
    const store = folder.open()
    recordCall(await store.open(SESSION), 1, [], 'durable')
    expect(statSync(folder.path).mode & 0o777).toBe(0o700)
    for (const path of [folder.files.database, folder.files.writeAheadLog, folder.files.sharedMemory]) {
      expect(statSync(path).mode & 0o777).toBe(0o600)
    }
    store.close()
  })

  it('leaves nothing behind but its own few files', async () => {
    const folder = await makeUsed()
    expect(readdirSync(folder.path)).toEqual(['anchors', 'journal.db', 'key', 'locks'])
    expect(readdirSync(folder.files.locks)).toHaveLength(1)
  })
})
