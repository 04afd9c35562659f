import type { Head } from './anchor.ts'
import type { AnchorFile } from './anchor-file.ts'

/** How far behind an anchor may stay that does not vouch for what is on disk anyway. */
const BEHIND_MS = 50
const BEHIND_ENTRIES = 256

/** Moves a session's anchor after its log. It may be behind, and must never be ahead. */
export interface Voucher {
  /** Says that entries may follow; has to be said before the first does. */
  readonly unseal: () => void
  /** Gets the move to a head ready. It is made by calling the result once the entry is as safe as it will be. */
  readonly prepare: (head: Head) => () => void
  /** Says that nothing will follow this head. */
  readonly seal: (head: Head) => void
  /** Lets go without a word about what will follow, as a process does that is killed. */
  readonly leave: () => void
}

/**
 * Where commits are synced, the anchor moves with each of them: losing what it names is no accident. Where they are not,
 * it only tells a rewritten entry from the real one, and follows a little later.
 */
export function createVoucher(anchor: AnchorFile, isSyncing: boolean): Voucher {
  let vouched = 0
  let waiting: Head | null = null
  let timer: NodeJS.Timeout | null = null

  function catchUp(): void {
    if (timer !== null) clearTimeout(timer)
    timer = null
    if (waiting === null) return
    vouched = waiting.seq
    anchor.prepare(waiting, false)()
    waiting = null
  }

  function followSoon(head: Head): void {
    waiting = head
    if (head.seq - vouched >= BEHIND_ENTRIES) catchUp()
    else timer ??= setTimeout(catchUpQuietly, BEHIND_MS).unref()
  }

  function catchUpQuietly(): void {
    try {
      catchUp()
    } catch {
      // It stays behind; the next append moves it.
    }
  }

  function settle(): void {
    if (timer !== null) clearTimeout(timer)
    timer = null
    waiting = null
  }

  return {
    unseal: anchor.unseal,
    prepare: (head) => (isSyncing ? anchor.prepare(head, true) : () => followSoon(head)),
    seal: (head) => {
      settle()
      anchor.seal(head)
      anchor.close()
    },
    leave: () => {
      settle()
      anchor.close()
    },
  }
}
