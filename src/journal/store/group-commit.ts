import type { Clock } from '../../core/clock.ts'
import { JournalError } from '../journal-error.ts'
import type { Reliance } from '../log.ts'
import type { LogWriter } from './log-writer.ts'
import type { Rows } from './rows.ts'

/** One session's write. */
export interface Member {
  /** The session. A group holds one write per session, because a second one builds on the first. */
  readonly of: object
  readonly reliance: Reliance
  /** Whether it does nothing but write rows. */
  readonly isPlain?: boolean
  /** Writes in the group's transaction; called again in a separate one if the group's is rolled back. */
  readonly fill: (rows: Rows) => void
  /** Called once the write is as safe as `reliance` asks, before anything else runs. */
  readonly done: () => void
}

/** Lets sessions share transactions, and so the cost of locking, writing and waiting for the disk. */
export interface GroupCommit {
  /** Writes with the next group. A failure affects only this write, unless the disk fails. */
  readonly join: (member: Member) => Promise<void>
  /** Writes everything that has joined so far. */
  readonly flush: () => void
}

interface Waiting extends Member {
  readonly resolve: () => void
  readonly reject: (error: unknown) => void
}

/** For this long after another session's write, more writes of it are expected. */
const OTHERS_ACTIVE_MS = 5

/** Groups writes that are requested at the same time. A session that writes alone does not wait. */
export function createGroupCommit(
  write: LogWriter['write'],
  { elapsed }: Pick<Clock, 'elapsed'>,
): GroupCommit {
  let waiting: Waiting[] = []
  let last: { readonly of: object; readonly atMs: number } | null = null

  function join(member: Member): Promise<void> {
    if (waiting.some(({ of }) => of === member.of)) flush()
    return new Promise((resolve, reject) => {
      const areOthersActive = checkOthersActive(member.of)
      waiting.push({ ...member, resolve, reject })
      if (waiting.length > 1) return
      // Other sessions that are about to write get one turn of the event loop to join.
      if (areOthersActive) setImmediate(flush)
      else queueMicrotask(flush)
    })
  }

  function checkOthersActive(of: object): boolean {
    const atMs = elapsed()
    const areOthersActive = last !== null && last.of !== of && atMs - last.atMs < OTHERS_ACTIVE_MS
    last = { of, atMs }
    return areOthersActive
  }

  function flush(): void {
    const group = waiting
    waiting = []
    const [only] = group
    if (only === undefined) return
    if (group.length === 1) return writeAlone(only)
    const reliance = group.some((member) => member.reliance === 'durable') ? 'durable' : 'recorded'
    try {
      write(
        reliance,
        (rows) => {
          for (const { fill } of group) fill(rows)
        },
        group.every(({ isPlain }) => isPlain === true),
      )
    } catch (error) {
      // The whole group was rolled back, so each write is tried alone; a failing disk fails all of them.
      const settle = isBusy(error) ? ({ reject }: Waiting) => reject(error) : writeAlone
      for (const member of group) settle(member)
      return
    }
    for (const { done, resolve } of group) {
      done()
      resolve()
    }
  }

  function writeAlone({ reliance, isPlain, fill, done, resolve, reject }: Waiting): void {
    try {
      write(reliance, fill, isPlain)
      done()
      resolve()
    } catch (error) {
      reject(error)
    }
  }

  return { join, flush }
}

/** Whether the wait for a lock timed out; every further try would wait as long again. */
function isBusy(error: unknown): boolean {
  return error instanceof JournalError && error.code === 'busy'
}
