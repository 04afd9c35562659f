import type { ProcessEnd } from '../../core/powers.ts'
import { redactSecrets } from '../../core/text/secrets/redact.ts'
import { keyLimits } from '../../host/run/held-limits.ts'
import type { BinaryOutput } from '../../host/run/bounded-output.ts'
import type { RunEnd } from '../../host/run/run-request.ts'

const HEADER = '[binary:base64]'
const CUT = '[truncated]'
const MOST_CUT_SECRET_BYTES = 512

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

/** Output that is not text as base64 in at most `maxBytes`. A secret in it would not be recognised in that form. */
function formatBinary(
  { bytes, totalBytes }: BinaryOutput,
  secrets: readonly string[],
  maxBytes: number,
): string {
  const readable = Buffer.from(bytes).toString('latin1')
  if (redactSecrets(readable, secrets) !== readable)
    return `[binary: ${totalBytes} bytes, not shown: they contain what looks like a secret]`
  const room = Math.floor(Math.max(0, maxBytes - HEADER.length - CUT.length - 1) / 4) * 3
  // What was cut may have been the end of a secret.
  const certain = bytes.length < totalBytes ? bytes.subarray(0, -MOST_CUT_SECRET_BYTES) : bytes
  const shown = certain.subarray(0, room)
  return `${HEADER}${shown.length < totalBytes ? CUT : ''}\n${Buffer.from(shown).toString('base64')}`
}
