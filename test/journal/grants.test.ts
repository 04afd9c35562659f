import { describe, expect, it } from 'vitest'
import type { Grant } from '../../src/core/grant.ts'
import { systemClock } from '../../src/host/system/clock.ts'
import type { GrantStore } from '../../src/journal/grants/grant-store.ts'
import { openMemoryStore } from '../../src/journal/store/memory-store.ts'
import { createDatabase, openDatabase, prepareFolder } from '../../src/journal/store/open-database.ts'
import { MIGRATIONS } from '../../src/journal/store/schema.ts'
import { SAMPLE_GRANT } from './sample-entries.ts'
import { makeStateFolder } from './state-folder.ts'
import type { StateFolder } from './state-folder.ts'

const ROOT = '/r'

const GRANT: Grant = { ...SAMPLE_GRANT, expires_at: 2000 }

function withShelf<T>(folder: StateFolder, use: (shelf: GrantStore) => T): T {
  const store = folder.open('normal')
  try {
    return use(store.grants)
  } finally {
    store.close()
  }
}

describe.each(['on disk', 'in memory'] as const)('the shelf of grants %s', (kind) => {
  const open = () => (kind === 'on disk' ? makeStateFolder().open('normal') : openMemoryStore(systemClock))

  it('gives back what was put on it, by root', () => {
    const store = open()
    const other: Grant = {
      ...GRANT,
      id: 'g2',
      scope: { kind: 'command', words: ['git', 'log'] },
      expires_at: null,
    }
    store.grants.add(ROOT, GRANT)
    store.grants.add(ROOT, other)
    expect(store.grants.read(ROOT)).toEqual({ grants: [GRANT, other], ignored: [] })
    expect(store.grants.read('/elsewhere')).toEqual({ grants: [], ignored: [] })
    store.close()
  })

  it('counts uses, revokes once, and removes', () => {
    const { grants, close } = open()
    grants.add(ROOT, GRANT)
    const before = grants.revision()
    grants.use('g1')
    grants.use('g1')
    expect(grants.revision()).toBe(before)
    expect(grants.revoke(ROOT, 'g1', 1500)).toEqual({ ...GRANT, used: 2, revoked_at: 1500 })
    expect(grants.revision()).not.toBe(before)
    expect(grants.revoke(ROOT, 'g1', 1700)?.revoked_at).toBe(1500)
    expect(grants.revoke('/elsewhere', 'g1', 1700)).toBeNull()
    expect(grants.revoke(ROOT, 'nobody', 1700)).toBeNull()
    grants.remove('/elsewhere', ['g1'])
    expect(grants.read(ROOT).grants.length).toBe(1)
    grants.remove(ROOT, ['g1'])
    expect(grants.read(ROOT).grants).toEqual([])
    close()
  })
})

describe.each(['on disk', 'in memory'] as const)('pruning %s', (kind) => {
  it('P-PRUNE: takes away what ended long enough ago, and nothing that may still hold', () => {
    const store = kind === 'on disk' ? makeStateFolder().open('normal') : openMemoryStore(systemClock)
    const { grants } = store
    grants.add(ROOT, { ...GRANT, id: 'over', expires_at: 1999 })
    grants.add('/elsewhere', { ...GRANT, id: 'over there', expires_at: 1999 })
    grants.add(ROOT, { ...GRANT, id: 'just over', expires_at: 2000 })
    grants.add(ROOT, { ...GRANT, id: 'lasting', expires_at: null })
    grants.add(ROOT, { ...GRANT, id: 'revoked', expires_at: null, revoked_at: 1500 })
    grants.prune(2000)
    const ids = (root: string) => grants.read(root).grants.map(({ id }) => id)
    expect([ids(ROOT).toSorted(), ids('/elsewhere')]).toEqual([['just over', 'lasting'], []])
    store.close()
  })
})

describe('a record that somebody else wrote', () => {
  it.for([
    'UPDATE grants SET expires_at = 9999',
    'UPDATE grants SET expires_at = NULL',
    'UPDATE grants SET granted_at = 1',
    "UPDATE grants SET tool = 'run_shell'",
    `UPDATE grants SET scope = '{"kind":"tool"}'`,
    `UPDATE grants SET scope = '{"kind":"path","glob":"**"}'`,
    "UPDATE grants SET scope = 'no json'",
    "UPDATE grants SET sentence = 'harmless'",
    "UPDATE grants SET granted_by = 'eve'",
    "UPDATE grants SET id = 'g9'",
    'UPDATE grants SET revoked_at = 1',
    "UPDATE grants SET seal = ''",
    `INSERT INTO grants SELECT 'g9', root, tool, scope, sentence, granted_by, granted_at, expires_at, revoked_at, used, seal FROM grants; DELETE FROM grants WHERE id = 'g1'`,
  ])('is ignored and named: %s', (sql) => {
    const folder = makeStateFolder()
    withShelf(folder, (shelf) => shelf.add(ROOT, GRANT))
    folder.tamper(sql)
    const { grants, ignored } = withShelf(folder, (shelf) => shelf.read(ROOT))
    expect(grants).toEqual([])
    expect(ignored).toMatchObject([{ why: 'its record was changed or was not written by tongs' }])
  })

  it('is ignored where a good one was moved to another root', () => {
    const folder = makeStateFolder()
    withShelf(folder, (shelf) => shelf.add(ROOT, GRANT))
    folder.tamper("UPDATE grants SET root = '/elsewhere'")
    withShelf(folder, (shelf) => {
      expect(shelf.read('/elsewhere')).toMatchObject({ grants: [], ignored: [{ id: 'g1' }] })
    })
  })

  it('that takes back a revocation is ignored, and the count of uses is nobody’s secret', () => {
    const folder = makeStateFolder()
    withShelf(folder, (shelf) => {
      shelf.add(ROOT, GRANT)
      shelf.revoke(ROOT, 'g1', 1500)
    })
    folder.tamper('UPDATE grants SET used = 7')
    expect(withShelf(folder, (shelf) => shelf.read(ROOT)).grants).toMatchObject([
      { used: 7, revoked_at: 1500 },
    ])
    folder.tamper('UPDATE grants SET revoked_at = NULL')
    expect(withShelf(folder, (shelf) => shelf.read(ROOT))).toMatchObject({
      grants: [],
      ignored: [{ id: 'g1' }],
    })
  })

  it('of another state folder, whose key is another, is ignored', () => {
    const [here, there] = [makeStateFolder(), makeStateFolder()]
    withShelf(here, (shelf) => shelf.add(ROOT, GRANT))
    withShelf(there, (shelf) => shelf.read(ROOT))
    there.tamper(`ATTACH '${here.files.database}' AS here; INSERT INTO main.grants SELECT * FROM here.grants`)
    expect(withShelf(there, (shelf) => shelf.read(ROOT))).toMatchObject({
      grants: [],
      ignored: [{ id: 'g1' }],
    })
  })
})

describe('the journal of an earlier version', () => {
  it('gets its shelf when it is opened', () => {
    const folder = makeStateFolder()
    const migrations = MIGRATIONS.slice(0, 1)
    prepareFolder(folder.path)
    createDatabase(folder.files, migrations)
    expect(openDatabase(folder.files, migrations).sqlite.close()).toBeUndefined()
    withShelf(folder, (shelf) => {
      shelf.add(ROOT, GRANT)
      expect(shelf.read(ROOT).grants).toEqual([GRANT])
    })
  })
})
