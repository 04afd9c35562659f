import { DatabaseSync } from 'node:sqlite'
import { describe, expect, it } from 'vitest'
import { openSqlite } from '../../../src/host/db/sqlite.ts'
import { createLogWriter } from '../../../src/journal/store/log-writer.ts'
import type { LogWriter } from '../../../src/journal/store/log-writer.ts'
import { watchSteps } from '../../harness/faults/world/steps.ts'
import { makeStateFolder } from '../state-folder.ts'

/** A writer on a real database that does not wait for locks, and says how many transactions it asked for. */
function openWriter(): { writer: LogWriter; path: string; count: () => number; close: () => void } {
  const { files, open } = makeStateFolder()
  open().close()
  const sqlite = openSqlite(files.database, { busyMs: 0 })
  let transactions = 0
  const counted: typeof sqlite = {
    ...sqlite,
    transact: (isSynced, body) => {
      transactions++
      return sqlite.transact(isSynced, body)
    },
  }
  const writer = createLogWriter({ sqlite: counted, id: 'test', requireInPlace: () => undefined }, files, {
    isSyncing: false,
  })
  return { writer, path: files.database, count: () => transactions, close: sqlite.close }
}

function addSession(writer: LogWriter): void {
  writer.write('recorded', (rows) => rows.newSession({ root: '/r', name: 's' }))
}

function failedCommits(path: string): unknown {
  const database = new DatabaseSync(path)
  const row = database.prepare("SELECT value FROM meta WHERE key = 'failed_commits'").get()
  database.close()
  return row?.['value'] ?? 0
}

describe('a write that fails', () => {
  it('because another process holds the lock asks for one transaction, not for a second one to overwrite nothing', () => {
    const { writer, path, count, close } = openWriter()
    const other = new DatabaseSync(path)
    other.exec('BEGIN IMMEDIATE')
    expect(() => addSession(writer)).toThrow(expect.objectContaining({ code: 'busy' }))
    expect(count()).toBe(1)
    other.exec('ROLLBACK')
    other.close()
    addSession(writer)
    expect(count()).toBe(2)
    expect(failedCommits(path)).toBe(0)
    close()
  })

  it('at its commit is overwritten by a second transaction', async () => {
    const { writer, path, count, close } = openWriter()
    const failed = Object.assign(new Error('disk I/O error'), { code: 'ERR_SQLITE_ERROR', errcode: 10 })
    let commits = 0
    await watchSteps(
      ({ name, target }) =>
        name === 'run' && target === 'COMMIT' && ++commits === 1 ? { error: failed } : null,
      async () => {
        expect(() => addSession(writer)).toThrow(expect.objectContaining({ code: 'io' }))
      },
    )
    expect([count(), commits]).toEqual([2, 2])
    expect(failedCommits(path)).toBe(1)
    close()
  })
})
