import type { PermissionOption, ToolCallLocation, ToolKind } from '@agentclientprotocol/sdk'
import { ownFields } from '../../../core/json/value.ts'
import type { EditorSession } from '../editor-session.ts'
import { diffParts } from './diff-parts.ts'
import { pickedOption } from './permission-request.ts'

/** A question that is not about a call. */
export interface Choice {
  readonly id: string
  readonly title: string
  readonly text: string
  /** What would change in files, as a unified diff. */
  readonly diff?: string
  readonly kind?: ToolKind
  readonly locations?: readonly ToolCallLocation[]
  readonly options: readonly PermissionOption[]
  /** The same for clients that know it. */
  readonly facts?: Readonly<Record<string, unknown>>
}

/** Puts a question to the person at the editor; null if it was not answered with one of the options. */
export async function askChoice(
  session: EditorSession,
  signal: AbortSignal,
  { id, title, text, diff = '', kind = 'other', locations = [], options, facts = {} }: Choice,
): Promise<string | null> {
  try {
    const response = await session.client.askPermission(
      {
        toolCall: {
          toolCallId: id,
          title,
          kind,
          status: 'pending',
          content: [
            ...diffParts(diff, session.facts.toAbsolute),
            { type: 'content', content: { type: 'text', text } },
          ],
          locations: [...locations],
        },
        options: [...options],
        _meta: { tongs: facts },
      },
      signal,
    )
    const picked = pickedOption(ownFields(response)['outcome'])
    return options.some(({ optionId }) => optionId === picked) ? picked : null
  } catch {
    // A client that cannot ask, or is gone, has chosen nothing.
    return null
  }
}
