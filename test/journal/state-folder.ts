import { cpSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { SQLInputValue } from 'node:sqlite'
import { systemClock } from '../../src/host/system/clock.ts'
import type { SessionKey } from '../../src/journal/entries/entry.ts'
import { JournalError } from '../../src/journal/journal-error.ts'
import type { LogStore, SessionLog } from '../../src/journal/log.ts'
import type { SegmentUse } from '../../src/journal/segments/front.ts'
import { seal, sealKey } from '../../src/host/system/hash.ts'
import { openSqliteStore } from '../../src/journal/store/sqlite-store.ts'
import { stateFiles } from '../../src/journal/store/state-files.ts'
import type { StateFiles } from '../../src/journal/store/state-files.ts'
import { verifyStore } from '../../src/journal/chain/verify-store.ts'
import type { VerifyReport } from '../../src/journal/chain/verify-report.ts'
import { makeScratch } from '../harness/scratch.ts'

/** The session that tests write to, unless they say otherwise. */
export const SESSION: SessionKey = { root: '/r', name: 's' }

/** A state folder of its own, and ways to do good and evil in it. */
export interface StateFolder {
  readonly path: string
  readonly files: StateFiles
  readonly open: (durability?: 'full' | 'normal', segments?: SegmentUse) => LogStore
  /** Opens a session, uses it and closes everything again. */
  readonly use: (run: (log: SessionLog, store: LogStore) => void, options?: UseOptions) => Promise<void>
  /** Changes the database behind the journal's back. */
  readonly tamper: (sql: string, ...bound: readonly SQLInputValue[]) => void
  readonly verify: () => VerifyReport
}

interface UseOptions {
  readonly durability?: 'full' | 'normal'
  readonly session?: SessionKey
}

/** Makes a state folder that goes when the test ends: an empty one, or a copy. */
export function makeStateFolder(original?: string): StateFolder {
  const path = makeScratch().at('state')
  if (original !== undefined) cpSync(original, path, { recursive: true, preserveTimestamps: true })
  const files = stateFiles(path)
  const open = (durability: 'full' | 'normal' = 'full', segments?: SegmentUse): LogStore =>
    openSqliteStore({
      stateDir: path,
      durability,
      clock: systemClock,
      ...(segments === undefined ? {} : { segments }),
    })
  return {
    path,
    files,
    open,
    use: async (run, { durability, session } = {}) => {
      const store = open(durability)
      try {
        run(await store.open(session ?? SESSION, 0), store)
      } finally {
        store.close()
      }
    },
    tamper: (sql, ...bound) => {
      const database = new DatabaseSync(files.database, { timeout: 1000 })
      try {
        if (bound.length === 0) database.exec(sql)
        else database.prepare(sql).run(...bound)
      } finally {
        database.close()
      }
    },
    verify: () => verifyStore(path),
  }
}

/** Turns a state folder into one from before sessions were listed when they were closed. */
export function makeUnlisted({ files, tamper }: StateFolder, version = 7): void {
  tamper(
    `DROP TABLE closing; DROP TABLE segment; DROP TABLE pack; DROP TABLE end_seal; PRAGMA user_version = ${version}`,
  )
  const key = sealKey(readFileSync(files.key))
  for (const name of readdirSync(files.anchors)) {
    const path = join(files.anchors, name)
    const bytes = readFileSync(path)
    const [, ...words] = bytes.subarray(0, 512).toString('latin1').trimEnd().split(' ')
    const text = ['tongs-anchor-1', ...words.slice(0, 9)].join(' ')
    const record = Buffer.from(`${text} ${seal(key, text)}`.padEnd(511) + '\n')
    writeFileSync(path, Buffer.concat([record, bytes.subarray(512)]))
  }
}

/** The journal error that `run` ends with; anything else, and success, are bugs. */
export async function journalErrorOf(run: () => unknown): Promise<JournalError> {
  try {
    await run()
  } catch (error) {
    if (error instanceof JournalError) return error
    throw error
  }
  throw new Error('it was expected to fail')
}
