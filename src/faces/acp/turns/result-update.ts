import type { SessionUpdate, ToolCallContent } from '@agentclientprotocol/sdk'
import type { ToolResult } from '../../../core/result.ts'
import type { ConversationSource } from '../../../runtime/runtime.ts'
import { isWaiting, placesIn, statusOf } from '../../../wire/acp/tool-shape.ts'
import { literal } from '../questions/verbatim.ts'
import { changesOf } from './changed-files.ts'
import type { CallFacts } from './describe-call.ts'

/** How much of a result is shown beside its call; `rawOutput` has all of it. */
const SHOWN_CHARS = 16 * 1024

/** A result as an update of its call: what it changed as diffs, then its text, or the error with what to do about it. */
export function resultUpdate(
  result: ToolResult,
  source: Pick<ConversationSource, 'log' | 'contentOf'>,
  { toAbsolute }: CallFacts,
): Extract<SessionUpdate, { readonly sessionUpdate: 'tool_call_update' }> {
  const { execution } = result
  const places = placesIn(result, toAbsolute)
  return {
    sessionUpdate: 'tool_call_update',
    toolCallId: execution.id,
    status: statusOf(result),
    ...(isWaiting(result) ? {} : { content: contentOf(result, changesOf(execution.id, source)) }),
    ...(places.length === 0 ? {} : { locations: [...places] }),
    rawOutput: result.ok ? result.result : result.error,
    _meta: { tongs: aboutOf(result) },
  }
}

/** A result without what an update has elsewhere. */
function aboutOf(result: ToolResult): object {
  if (result.ok) {
    const { content: _content, result: _result, ...about } = result
    return about
  }
  const { content: _content, error: _error, ...about } = result
  return about
}

function contentOf(result: ToolResult, changes: readonly ToolCallContent[]): ToolCallContent[] {
  const text = result.ok
    ? result.content
    : [literal(result.error.message), ...result.error.recovery.map((step) => `- ${literal(step)}`)].join('\n')
  const shown = text.length > SHOWN_CHARS ? `${text.slice(0, SHOWN_CHARS).toWellFormed()}…` : text
  // What a diff shows need not be said again; the output of a command is something else.
  const isSaid = changes.length > 0 && result.ok && result.result['stdout'] === undefined
  return [...changes, ...(isSaid || shown === '' ? [] : [said(shown)])]
}

function said(text: string): ToolCallContent {
  return { type: 'content', content: { type: 'text', text } }
}
