import { forget } from '../../journal/erase/forget.ts'
import type { ForgetReport, ForgetSelection } from '../../journal/erase/forget.ts'
import type { LogStore } from '../../journal/log.ts'
import { makeReserve, PORTION_BYTES, releaseReserve } from '../../journal/access/reserve.ts'

/** What erasing needs besides the journal itself. */
export interface ForgetDeps {
  readonly stateDir: string
  readonly isInMemory: boolean
  readonly waitMs: number
  readonly store: () => LogStore
  readonly closeStore: () => void
}

/** Erases what a person selected. On a full disk there is a reserve for this, which is released first. */
export async function forgetHere(selection: ForgetSelection, deps: ForgetDeps): Promise<ForgetReport> {
  const { stateDir, isInMemory, waitMs } = deps
  const how = { why: 'the user asked for it', waitMs }
  if (isInMemory || !releaseReserve(stateDir)) return forget(deps.store(), selection, how)
  // What was refused when the journal was opened may work now.
  if (deps.store().refusal !== null) deps.closeStore()
  const store = deps.store()
  let isFreed = false
  try {
    const done = await forget(store, selection, { ...how, portionBytes: PORTION_BYTES })
    isFreed = done.ok && done.bytes > 0
    if (isFreed) store.compact()
    return done
  } finally {
    // What was freed is for calls in the first place.
    makeReserve(stateDir, isFreed ? undefined : 0)
  }
}
