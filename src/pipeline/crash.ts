import { toolError } from '../core/error.ts'
import type { ToolError } from '../core/error.ts'
import { redactSecrets } from '../core/text/redact.ts'
import { sanitise } from '../core/text/sanitise.ts'
import { ellipsis } from '../core/text/truncate.ts'

const SHOWN_CHARS = 300

/** The error for a tool that threw something nobody planned for; its words are made harmless first. */
export function crashError(tool: string, thrown: unknown): ToolError {
  const words = ellipsis(sanitise(redactSecrets(wordsOf(thrown)), { oneLine: true }), SHOWN_CHARS)
  return toolError('crashed', `Tool crashed: ${words}`, { tool }, [
    'This is a fault of the tool, not of the call; try another way.',
  ])
}

function wordsOf(thrown: unknown): string {
  try {
    if (thrown instanceof Error) return thrown.message === '' ? thrown.name : thrown.message
    return typeof thrown === 'string' ? thrown : `it threw ${typeof thrown}`
  } catch {
    return 'it threw something that cannot be described'
  }
}
