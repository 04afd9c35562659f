import type { ApprovalRequest } from '../../../src/core/approval.ts'
import type { Clock } from '../../../src/core/clock.ts'
import { systemClock } from '../../../src/host/system/clock.ts'
import type { RuntimeOptions } from '../../../src/runtime/create-runtime.ts'
import type { Bench } from '../../bench-folder.ts'
import { batchOf, echo, writer } from '../sample-tools.ts'

export const DAY_MS = 86_400_000
export const WEEK_MS = 7 * DAY_MS

/** A clock that can be set forward. */
export function settableClock(): Clock & { aheadMs: number } {
  const clock = {
    aheadMs: 0,
    now: () => systemClock.now() + clock.aheadMs,
    elapsed: systemClock.elapsed,
  }
  return clock
}

/** Runs something in a runtime of its own, as another process would. */
export async function inAnother<T>(
  b: Bench,
  options: Partial<RuntimeOptions>,
  act: (runtime: Awaited<ReturnType<Bench['open']>>) => Promise<T>,
): Promise<T> {
  const runtime = await b.open({ durability: 'normal', tools: [writer, echo], ...options })
  try {
    return await act(runtime)
  } finally {
    await runtime.close()
  }
}

/** Leaves a batch waiting and gives its questions. */
export async function leave(
  b: Bench,
  calls: ReturnType<typeof batchOf>,
  options: Partial<RuntimeOptions> = {},
): Promise<readonly ApprovalRequest[]> {
  return inAnother(b, { approve: 'later', ...options }, async (runtime) => {
    await runtime.run(calls, { session: 's' })
    return runtime.pending()
  })
}

/** Lets everything run. */
export const yes = { isApproved: true }
/** A call that writes its path into the file there. */
export const write = (path: string) => ['writer', { path, word: path }] as const
