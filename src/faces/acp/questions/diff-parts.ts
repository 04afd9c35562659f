import type { ToolCallContent } from '@agentclientprotocol/sdk'
import { sanitise } from '../../../core/text/display/sanitise.ts'
import { readDiff, restOfDiff } from '../../../wire/acp/diff-content.ts'
import { verbatim } from './verbatim.ts'

/** All that a diff shows, for an editor: texts as it compares them, and everything else as lines. */
export function diffParts(diff: string, toAbsolute: (path: string) => string): ToolCallContent[] {
  const rest = restOfDiff(diff, (line) => sanitise(line, { showSequences: true }))
  return [
    ...readDiff(diff, toAbsolute).map((file) => ({ type: 'diff', ...file }) as const),
    ...(rest.length === 0
      ? []
      : [{ type: 'content', content: { type: 'text', text: `Also:\n\n${verbatim(rest)}` } } as const]),
  ]
}
