import { identityOf, requireWritable } from '../../host/fs/private-files.ts'
import { diskFull, explainFault } from '../explain-fault.ts'
import type { JournalError } from '../journal-error.ts'
import { isShortOfSpace } from './reserve.ts'
import { stateFiles } from '../store/state-files.ts'

/** Why a journal that exists cannot be written to, as far as that shows without writing; null if it can. */
export function findRefusal(stateDir: string): JournalError | null {
  const { folder, database, anchors, locks } = stateFiles(stateDir)
  try {
    if (identityOf(database) === null) return null
    for (const needed of [folder, database, anchors, locks])
      if (identityOf(needed) !== null) requireWritable(needed)
  } catch (error) {
    return explainFault(error, folder)
  }
  return isShortOfSpace(folder) ? diskFull(folder) : null
}
