import { redactSecrets } from '../../core/text/secrets/redact.ts'
import type { BinaryOutput } from '../../host/run/bounded-output.ts'

const HEADER = '[binary:base64]'
const CUT = '[truncated]'
const MOST_CUT_SECRET_BYTES = 512

/** Output that is not text as base64 in at most `maxBytes`. A secret in it would not be recognised in that form. */
export function formatBinary(
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
