import type { ProcessEnd } from '../../core/powers.ts'
import { redactSecrets } from '../../core/text/secrets/redact.ts'
import { keyLimits } from '../../host/run/held-limits.ts'
import type { RunEnd } from '../../host/run/run-request.ts'
import { formatBinary } from './format-binary.ts'

/** What is known about a command that has ended, besides what the runner says. */
export interface ShownEnd extends Pick<ProcessEnd, 'wanted' | 'leftForGit' | 'isOnLayer'> {
  /** Without its secrets. */
  readonly printed: Pick<ProcessEnd, 'stdout' | 'stderr'>
  readonly binaryBytes: number
  readonly spilledAs: string
}

/** The end of a command as its tool gets it. */
export function presentEnd(
  end: RunEnd,
  sandbox: string,
  secrets: readonly string[],
  { printed, binaryBytes, spilledAs, wanted, leftForGit, isOnLayer }: ShownEnd,
): ProcessEnd {
  const { spilled, spillFault } = end
  const { stdout, stderr } = end.binary
  return {
    exitCode: end.exitCode,
    signal: end.signal,
    ...printed,
    binary: {
      ...(stdout === undefined ? {} : { stdout: formatBinary(stdout, secrets, binaryBytes) }),
      ...(stderr === undefined ? {} : { stderr: formatBinary(stderr, secrets, binaryBytes) }),
    },
    durationMs: end.durationMs,
    isTimedOut: end.isTimedOut,
    isCancelled: end.isCancelled,
    isAbsent: end.isAbsent,
    sandbox,
    limits: keyLimits(end.limitsHeld),
    wanted,
    leftForGit: leftForGit.map((sentence) => redactSecrets(sentence, secrets)),
    isOnLayer,
    rest:
      spilled === undefined && spillFault === undefined
        ? null
        : { path: spilled === undefined ? null : spilledAs, note: spillFault ?? null },
  }
}
