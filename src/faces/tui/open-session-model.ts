import { addressOf } from '../../agent/log/last-model.ts'
import type { Conversation } from '../../agent/conversation.ts'
import type { ModelClient } from '../../model/model-client.ts'
import { keySourcesOf, resolveModel } from '../../agent/model-access.ts'
import type { Settings } from '../../config/keys.ts'
import { openModel } from '../../model/open-model.ts'
import type { ConversationSource } from '../../runtime/runtime.ts'
import type { AppOpening } from '../../terminal/app-opening.ts'

/** Instead of a name: the last model used in the session, or else the usual one. */
export const LATEST = 'latest'

/** A model as it is asked for. */
export interface WantedModel {
  /** As in `anthropic/NAME`, or the word above. */
  readonly model: string
  /** Null is the server that the options, the session or the configuration name. */
  readonly baseUrl: string | null
  /** The size of its context window, if a person or its server has told it. */
  readonly contextTokens: number | null
}

/** A model for a session, and what there is to say about its server and the key file. */
export interface SessionModel {
  readonly client: ModelClient
  readonly notes: readonly string[]
}

/**
 * Opens a model for a session: by its name, or the last one used there or else the usual one; null if there is none.
 * Throws a ModelError if it cannot be opened; the signal stops a command that prints its key.
 */
export async function openSessionModel(
  wanted: WantedModel,
  { lastModel }: Pick<ConversationSource, 'lastModel'>,
  opening: Pick<AppOpening, 'model' | 'baseUrl' | 'root'>,
  settings: Settings,
  signal?: AbortSignal,
): Promise<SessionModel | null> {
  const found = resolveModel({
    given: opening,
    chosen: wanted.model === LATEST ? null : wanted,
    latest: lastModel(),
    settings,
    env: process.env,
  })
  if (found === null) return null
  const { spec, baseUrl, isServerOfSession } = found
  const notes: string[] = []
  const keys = keySourcesOf(settings, { env: process.env, root: opening.root }, (notice) =>
    notes.push(notice),
  )
  const client = await openModel(spec, {
    keys,
    ...(baseUrl === null ? {} : { baseUrl }),
    ...(signal === undefined ? {} : { signal }),
  })
  if (isServerOfSession) notes.push(`Using ${spec} at ${baseUrl}, as before in this session.`)
  return {
    client: wanted.contextTokens === null ? client : { ...client, contextTokens: wanted.contextTokens },
    notes,
  }
}

/** Records the model in use, if there is one, so that the session is continued with it. */
export function noteModelOf(
  conversation: Pick<Conversation, 'model'> | null,
  { noteModel }: Pick<ConversationSource, 'noteModel'>,
): void {
  const current = conversation?.model()
  if (current !== undefined) noteModel(addressOf(current))
}
