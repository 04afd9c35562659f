import type { ModelClient } from '../model/model-client.ts'
import { openModel } from '../model/open-model.ts'
import type { ConversationOptions } from './conversation.ts'

/** A program without types is told what it forgot before anything is on record. */
export function checkOptions(options: Partial<ConversationOptions> | undefined): void {
  const { runtime, model, session } = options ?? {}
  const isModel = typeof model === 'string' || typeof model?.stream === 'function'
  if (typeof runtime?.converse === 'function' && isModel && typeof session === 'string') return
  throw new TypeError(
    'openConversation needs { runtime, model, session }: a runtime of createRuntime, a model such as script:FILE, and a name.',
  )
}

/** Another model has to be open before it is spoken with; a name alone would only fail in the middle of a turn. */
export function checkModel(model: Partial<ModelClient> | undefined): void {
  if (typeof model?.stream === 'function') return
  throw new TypeError('setModel needs a model that is open, as openModel gives it.')
}

/** The model that was given, opened where it was given as a word. */
export async function modelOf({ model, baseUrl }: ConversationOptions): Promise<ModelClient> {
  if (typeof model !== 'string') return model
  return openModel(model, baseUrl === undefined ? {} : { baseUrl })
}
