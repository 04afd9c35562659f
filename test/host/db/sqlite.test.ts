import { execFileSync } from 'node:child_process'
import { statSync, writeFileSync } from 'node:fs'
import { describe, expect, it, onTestFinished } from 'vitest'
import { openSqlite, sqliteFaultOf, UnsyncedError } from '../../../src/host/db/sqlite.ts'
import type { Sqlite } from '../../../src/host/db/sqlite.ts'
import { watchSteps } from '../../harness/faults/world/steps.ts'
import { makeScratch } from '../../harness/scratch.ts'

function open(path = makeScratch().at('x.db'), busyMs = 0): Sqlite {
  const sqlite = openSqlite(path, { busyMs })
  onTestFinished(sqlite.close)
  return sqlite
}

function faultOf(run: () => unknown): unknown {
  try {
    run()
  } catch (error) {
    return sqliteFaultOf(error)
  }
  return 'nothing'
}

describe('a database', () => {
  it.each(['', '-wal', '-shm', '-journal'])('is not opened with a pipe in the place of x.db%s', (suffix) => {
    const path = makeScratch().at('x.db')
    if (suffix !== '') writeFileSync(path, '')
    execFileSync('mkfifo', [`${path}${suffix}`])
    expect(() => open(path)).toThrow(`${path}${suffix} is not a regular file`)
  })

  it('does all of a transaction or nothing', () => {
    const sqlite = open()
    sqlite.run('PRAGMA journal_mode=WAL; CREATE TABLE t (x INTEGER) STRICT')
    const insert = (value: number | string): unknown =>
      sqlite.statement('INSERT INTO t VALUES (?)').run(value)
    expect(sqlite.transact(true, () => [insert(1), insert(2)].length)).toBe(2)
    expect(() => sqlite.transact(false, () => [insert(3), insert('four')])).toThrow()
    expect(() =>
      sqlite.transact(false, () => {
        insert(5)
        throw new Error('changed my mind')
      }),
    ).toThrow('changed my mind')
    expect(
      sqlite
        .statement('SELECT x FROM t')
        .all()
        .map((row) => row['x']),
    ).toEqual([1, 2])
    expect(sqlite.transact(true, () => insert(6))).toBeDefined()
  })

  it('says without waiting whether another connection writes, and still waits when asked to write', () => {
    const sqlite = open(undefined, 60_000)
    sqlite.run('PRAGMA journal_mode=WAL; CREATE TABLE t (x); PRAGMA busy_timeout=20000')
    const other = open(sqlite.path)
    expect(sqlite.isFree()).toBe(true)
    const beganMs = performance.now()
    other.transact(false, () => expect(sqlite.isFree()).toBe(false))
    expect(performance.now() - beganMs).toBeLessThan(20_000)
    expect(sqlite.statement('PRAGMA busy_timeout').get()).toEqual({ timeout: 20_000 })
    expect(sqlite.transact(false, () => 'written')).toBe('written')
  })

  it('syncs what has to be synced, and only that', async () => {
    const sqlite = open()
    sqlite.run('PRAGMA journal_mode=WAL; CREATE TABLE t (x)')
    const syncs: string[] = []
    await watchSteps(
      ({ name }) => {
        if (name.includes('sync')) syncs.push(name)
        return null
      },
      async () => {
        for (const isSynced of [true, false, false, true]) {
          syncs.push(`synced ${isSynced}`)
          sqlite.transact(isSynced, () => sqlite.run('INSERT INTO t VALUES (1)'))
        }
      },
    )
    expect(syncs).toEqual([
      'synced true',
      'fdatasyncSync',
      'synced false',
      'synced false',
      'synced true',
      'fdatasyncSync',
    ])
    expect(sqlite.statement('PRAGMA synchronous').get()).toEqual({ synchronous: 1 })
    expect(sqlite.statement('PRAGMA secure_delete').get()).toEqual({ secure_delete: 1 })
  })

  it('carries over a log that cannot be synced, and says so where that fails as well', async () => {
    const path = makeScratch().at('x.db')
    const sqlite = open(path)
    sqlite.run('PRAGMA journal_mode=WAL; CREATE TABLE t (x)')
    const broken = Object.assign(new Error('EIO'), { code: 'EIO', errno: -5 })
    const insert = (): void => sqlite.transact(true, () => sqlite.run('INSERT INTO t VALUES (1)'))
    await watchSteps(
      ({ name }) => (name === 'fdatasyncSync' ? { error: broken } : null),
      async () => {
        insert()
        expect(statSync(`${path}-wal`).size).toBe(0)
        const reader = open(path)
        reader.run('BEGIN')
        reader.statement('SELECT * FROM t').get()
        expect(insert).toThrow(UnsyncedError)
      },
    )
  })

  it('can have its write-ahead log extended without changing what is in it', () => {
    const path = makeScratch().at('x.db')
    const sqlite = open(path)
    sqlite.run('PRAGMA journal_mode=WAL; CREATE TABLE t (x); INSERT INTO t VALUES (1)')
    sqlite.extendLog(1_000_000)
    expect(statSync(`${path}-wal`).size).toBeGreaterThan(1_000_000)
    sqlite.transact(true, () => sqlite.run('INSERT INTO t VALUES (2)'))
    expect(sqlite.statement('SELECT x FROM t').all()).toHaveLength(2)
    expect(sqlite.statement('SELECT count(*) AS n FROM sqlite_schema').get()).toEqual({ n: 1 })
    expect(open(path).statement('SELECT x FROM t').all()).toHaveLength(2)
  })

  it('can have its write-ahead log emptied, unless somebody is reading from it', () => {
    const path = makeScratch().at('x.db')
    const sqlite = open(path)
    sqlite.run('PRAGMA journal_mode=WAL; CREATE TABLE t (x); INSERT INTO t VALUES (1)')
    const reader = open(path)
    reader.run('BEGIN; SELECT * FROM t')
    reader.statement('SELECT * FROM t').get()
    sqlite.transact(false, () => sqlite.run('INSERT INTO t VALUES (2)'))
    expect(sqlite.emptyLog(5)).toBe(false)
    reader.run('COMMIT')
    expect(sqlite.emptyLog(5)).toBe(true)
    expect(statSync(`${path}-wal`).size).toBe(0)
    expect(reader.statement('SELECT count(*) AS n FROM t').get()).toEqual({ n: 2 })
  })

  it('tells its faults apart', () => {
    const scratch = makeScratch()
    writeFileSync(scratch.at('garbage'), 'no database '.repeat(100))
    expect(faultOf(() => open(scratch.at('garbage')).run('SELECT * FROM sqlite_schema'))).toBe('damaged')
    expect(faultOf(() => open(scratch.at('no', 'folder')))).toBe('cannot_open')
    expect(faultOf(() => open(scratch.at('new.db')).run('nonsense'))).toBe('other')
    expect(sqliteFaultOf(new Error('something else'))).toBeNull()
    expect(sqliteFaultOf(null)).toBeNull()
    const sqlite = open(scratch.at('x.db'))
    sqlite.run('CREATE TABLE t (x)')
    const other = open(scratch.at('x.db'), 20)
    sqlite.transact(false, () => {
      expect(faultOf(() => other.transact(false, () => null))).toBe('busy')
    })
    expect(other.transact(false, () => 'free')).toBe('free')
  })
})
