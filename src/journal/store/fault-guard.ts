import { sqliteFaultOf, UnsyncedError } from '../../host/db/sqlite.ts'
import { explainFault } from '../explain-fault.ts'
import type { JournalError } from '../journal-error.ts'
import { damaged } from './open-database.ts'
import type { StateFiles } from './state-files.ts'

/** Carries what a caller threw out of a transaction, so that it is not mistaken for a database fault. */
export class CallerThrew extends Error {
  readonly thrown: unknown

  constructor(thrown: unknown) {
    super('the caller did not confirm')
    this.thrown = thrown
  }
}

/** Turns database faults into journal errors. After damage or a failed sync, everything else fails with the same error. */
export interface FaultGuard {
  /** Runs `body` and explains what it throws. */
  readonly guard: <T>(body: () => T) => T
  /** The same for every step of an iteration. */
  readonly guardEach: <T>(items: Iterator<T>) => Generator<T>
  /** Whether a fault happened after which the database cannot be relied on. */
  readonly isBroken: () => boolean
}

/** Creates the guard for the database in a state folder. */
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
      const isDamaged = explained.code === 'damaged'
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
