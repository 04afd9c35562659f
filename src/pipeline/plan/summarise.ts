import { SUMMARY_CHARS } from '../../config/fixed-values.ts'
import type { Settings } from '../../config/keys.ts'
import type { JsonObject } from '../../core/json/value.ts'
import { sanitise } from '../../core/text/display/sanitise.ts'
import { redactForApproval } from '../../core/text/secrets/redact.ts'
import { elideMiddle } from '../../core/text/truncate.ts'
import type { Tool } from '../../core/tool.ts'

/** What a call would do, in one line that is safe to show. Both ends of a long line matter, so its middle is elided. */
export function summarise(tool: Tool, args: JsonObject, settings: Settings): string {
  const visible = sanitise(redactForApproval(tool.summary(args, settings)), {
    oneLine: true,
    showSequences: true,
  })
  return elideMiddle(visible, SUMMARY_CHARS)
}
