import type { Clock } from '../../core/clock.ts'
import { JournalError } from '../journal-error.ts'
import type { Reliance } from '../log.ts'
import type { LogWriter } from './log-writer.ts'
import type { Rows } from './rows.ts'

/** What one session wants to write. */
export interface Member {
  /** Whose it is; nobody has two writes in one group, because the second builds on the first. */
  readonly of: object
  readonly reliance: Reliance
  /** Writes, in the group's transaction; may be called again, in one of its own, if the group's is undone. */
  readonly fill: (rows: Rows) => void
  /** Called once that is as safe as it is relied on, before anything else runs. */
  readonly done: () => void
}

/** Lets sessions share transactions, and what is dear about them: locking, writing, waiting for the disk. */
export interface GroupCommit {
  /** Writes with the next group; fails alone, unless the disk failed them all. */
  readonly join: (member: Member) => Promise<void>
  /** Writes what has joined so far. */
  readonly flush: () => void
}

interface Waiting extends Member {
  readonly resolve: () => void
  readonly reject: (error: unknown) => void
}

/** As long after another session has written, it is taken to be at work still. */
const OTHERS_ACTIVE_MS = 5

/** Makes groups of what is asked for at the same time. Whoever is alone does not wait. */
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
      // In company, others who are about to ask are heard first: they have until the loop turns.
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
      write(reliance, (rows) => {
        for (const { fill } of group) fill(rows)
      })
    } catch (error) {
      // Undone as a whole: now each can fail for reasons of its own. Where the disk failed, it refuses all of them.
      const settle = isBusy(error) ? ({ reject }: Waiting) => reject(error) : writeAlone
      for (const member of group) settle(member)
      return
    }
    for (const { done, resolve } of group) {
      done()
      resolve()
    }
  }

  function writeAlone({ reliance, fill, done, resolve, reject }: Waiting): void {
    try {
      write(reliance, fill)
      done()
      resolve()
    } catch (error) {
      reject(error)
    }
  }

  return { join, flush }
}

/** Others kept the journal locked for as long as anybody is willing to wait; the next would wait as long again. */
function isBusy(error: unknown): boolean {
  return error instanceof JournalError && error.code === 'busy'
}
