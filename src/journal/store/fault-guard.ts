import { sqliteFaultOf, UnsyncedError } from '../../host/db/sqlite.ts'
import { explainFault } from '../explain-fault.ts'
import { UnreadableEntry } from '../journal-error.ts'
import type { JournalError } from '../journal-error.ts'
import { damaged } from './open-database.ts'
import type { StateFiles } from './state-files.ts'

/** Carries what a caller threw out of a transaction, so that it is not taken for a fault of the database. */
export class CallerThrew extends Error {
  readonly thrown: unknown

  constructor(thrown: unknown) {
    super('the caller did not confirm')
    this.thrown = thrown
  }
}

/** Explains what goes wrong in a database; after some faults nothing is tried any more. */
export interface FaultGuard {
  /** Runs anything on the database; what goes wrong is explained. */
  readonly guard: <T>(body: () => T) => T
  /** The same for every step of reading. */
  readonly guardEach: <T>(items: Iterator<T>) => Generator<T>
  /** Whether something went wrong after which nothing can be relied on. */
  readonly isBroken: () => boolean
}

/** Makes the guard of the database in a state folder. */
export function createFaultGuard(files: StateFiles): FaultGuard {
  let fault: JournalError | null = null

  function guard<T>(body: () => T): T {
    if (fault !== null) throw fault
    try {
      return body()
    } catch (error) {
      if (error instanceof CallerThrew) throw error.thrown
      const explained =
        sqliteFaultOf(error) === 'damaged' ? damaged(files, String(error)) : explainFault(error, files.folder)
      const isDamaged = explained.code === 'damaged' && !(error instanceof UnreadableEntry)
      if (isDamaged || explained.code === 'removed' || error instanceof UnsyncedError) fault = explained
      throw explained
    }
  }

  function* guardEach<T>(items: Iterator<T>): Generator<T> {
    for (;;) {
      const next = guard(() => items.next())
      if (next.done === true) return
      yield next.value
    }
  }

  return { guard, guardEach, isBroken: () => fault !== null }
}
