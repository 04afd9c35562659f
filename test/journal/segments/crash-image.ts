import { cpSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { systemClock } from '../../../src/host/system/clock.ts'
import type { LogStore, SessionLog } from '../../../src/journal/log.ts'
import { openSqliteStore } from '../../../src/journal/store/sqlite-store.ts'
import { makeStateFolder, SESSION } from '../state-folder.ts'
import type { StateFolder } from '../state-folder.ts'

/** Opens a store that uses a segment from its first write on. */
export function openWithSegment(path: string, durability: 'full' | 'normal' = 'full'): LogStore {
  return openSqliteStore({ stateDir: path, durability, clock: systemClock, segments: 'always' })
}

/** The state folder as a process leaves it that is killed after these writes. */
export async function crashAfter(
  run: (log: SessionLog, store: LogStore) => void | Promise<void>,
  durability: 'full' | 'normal' = 'full',
): Promise<StateFolder> {
  const folder = makeStateFolder()
  const store = openWithSegment(folder.path, durability)
  try {
    await run(await store.open(SESSION), store)
    return copyOf(folder)
  } finally {
    store.close()
  }
}

/** Another state folder with the same files. Locks are not copied: no process holds them there. */
export function copyOf({ path }: StateFolder): StateFolder {
  const copy = makeStateFolder()
  cpSync(path, copy.path, { recursive: true, filter: (name) => !name.endsWith('-shm') })
  return copy
}

/** How many entries a program sees that reads the database alone; those that it can look up, if so asked. */
export function countEntries({ files }: StateFolder, where: 'log' | 'place' = 'log'): number {
  const database = new DatabaseSync(files.database, { readOnly: true })
  try {
    const count = `SELECT count(*) AS count FROM ${where} WHERE seq IS NOT NULL`
    return Number(database.prepare(count).get()?.['count'])
  } finally {
    database.close()
  }
}

/** The paths of the segments in a state folder. */
export function segmentsIn({ files }: StateFolder): readonly string[] {
  try {
    return readdirSync(files.segments)
      .filter((name) => name.endsWith('.log'))
      .map((name) => join(files.segments, name))
  } catch {
    return []
  }
}

/** The only segment of a state folder. */
export function segmentIn(folder: StateFolder): string {
  const [path, ...others] = segmentsIn(folder)
  if (path === undefined || others.length > 0) throw new Error(`${others.length + 1} segments`)
  return path
}
