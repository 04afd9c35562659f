import { ToolFailure } from '../../core/error.ts'
import type { Target } from './change-status.ts'

/** How landing went: everything is in place, or why not. */
export type Landing =
  | { readonly is: 'landed' }
  /** Files that are neither as before nor as after; nothing further was touched. `why` is said if it is known. */
  | { readonly is: 'drifted'; readonly files: readonly string[]; readonly why?: string }
  | {
      readonly is: 'failed'
      readonly file: string
      readonly why: string
      /** Whether waiting is of no use: a name refused its new content, or the error is not one that passes, as a full disk is. */
      readonly isLasting: boolean
    }

export type FailedLanding = Extract<Landing, { is: 'failed' }>

/** The outcome for an error at a file; anything else than a `ToolFailure` is thrown again. */
export function failed(file: string, thrown: unknown, isPlacing = false): FailedLanding {
  if (!(thrown instanceof ToolFailure)) throw thrown
  const { code, message, details } = thrown.error
  const isLasting = isPlacing || (code !== 'resource_exhausted' && !PASSING_ERRNOS.has(details['errno']))
  return { is: 'failed', file, why: message, isLasting }
}

/** Errors besides exhaustion that may be over the next time. */
const PASSING_ERRNOS = new Set<unknown>(['EINTR', 'EAGAIN', 'ETIMEDOUT', 'ESTALE', 'ETXTBSY'])

/** The outcome for files that are not as expected. */
export function drift(targets: readonly Target[]): Landing {
  return { is: 'drifted', files: targets.map(({ change }) => change.path) }
}

/** Runs a step of cleaning up, whose failure must not hide its cause. */
export function attempt(run: () => unknown): void {
  try {
    run()
  } catch (thrown) {
    if (!(thrown instanceof ToolFailure)) throw thrown
  }
}
