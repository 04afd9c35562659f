import { sizeOf } from '../../host/fs/private-files.ts'
import { stateFiles } from './state-files.ts'

/** Bytes the journal takes on disk; null where there is none. */
export function storeSize(stateDir: string): number | null {
  const { database, writeAheadLog, sharedMemory } = stateFiles(stateDir)
  const found = sizeOf(database)
  if (found === null) return null
  return [writeAheadLog, sharedMemory].reduce((sum, path) => sum + (sizeOf(path)?.bytes ?? 0), found.bytes)
}
