import { BYTES_PER_TOKEN } from '../../config/fixed-values.ts'
import type { Attachment } from '../../core/attachment/attachment.ts'
import type { ToolResult } from '../../core/result.ts'
import { byteLength } from '../../core/text/truncate.ts'
import type { Run } from '../engine.ts'
import type { Allowance } from './tool-context.ts'

/** What attachments take up, in bytes of text that would take up the same. */
function attachedBytes(attached: readonly Attachment[]): number {
  return attached.reduce((sum, { tokens }) => sum + tokens * BYTES_PER_TOKEN, 0)
}

/** What the next call may use: the output limit, and what earlier results left of the context window. */
export function allowanceAfter(results: readonly ToolResult[], run: Run): Allowance {
  const most = run.engine.settings['tools.output.max_bytes']
  const room = run.capacityBytes
  if (room === 0) return { maxOutputBytes: most, capacityBytes: null }
  const spentBytes = results.reduce(
    (sum, { content, attached = [] }) => sum + byteLength(content) + attachedBytes(attached),
    0,
  )
  const capacityBytes = Math.max(0, room - spentBytes)
  return { maxOutputBytes: Math.min(most, capacityBytes), capacityBytes }
}
