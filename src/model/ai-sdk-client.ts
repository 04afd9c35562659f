import type { LanguageModelV4, SharedV4ProviderOptions } from '@ai-sdk/provider'
import type { AttachmentType } from '../core/attachment/attachment.ts'
import type { IdRules } from './call-labels.ts'
import { buildPrompt, buildTools } from './build-prompt.ts'
import type { AttachedTo } from './sent-attachments.ts'
import { explainFailure } from './explain-failure.ts'
import type { ErrorContext } from './explain-failure.ts'
import { ModelError } from './model-client.ts'
import type { ModelClient, ModelDelta, ModelRequest } from './model-client.ts'
import { createStreamReader } from './read-stream.ts'

/** A provider's model with what this client needs to know about it. */
export interface ProviderModel extends ErrorContext {
  readonly language: LanguageModelV4
  readonly contextTokens: number | null
  /** A server other than the provider's own; null otherwise. */
  readonly baseUrl: string | null
  /** Sent with every request. */
  readonly providerOptions: SharedV4ProviderOptions
  readonly cacheMarker: SharedV4ProviderOptions | null
  readonly ids: IdRules
  readonly takes: readonly AttachmentType[]
  readonly attachedTo: AttachedTo
}

/** Of one message: text, reasoning and calls. No model writes a tenth of it, and all of it is kept in memory and in the log. */
const MOST_CHARS = 16 * 1024 ** 2
/** What a delta takes besides its text. */
const DELTA_CHARS = 16

/** Talks to a provider through its package; if the signal aborts, its reason is thrown unchanged. */
export function createAiSdkClient(provider: ProviderModel): ModelClient {
  return {
    id: provider.model,
    ...(provider.baseUrl === null ? {} : { baseUrl: provider.baseUrl }),
    hasTools: true,
    takes: provider.takes,
    contextTokens: provider.contextTokens,
    stream: (request, signal, onSign) => streamAnswer(provider, request, signal, onSign),
  }
}

async function* streamAnswer(
  provider: ProviderModel,
  request: ModelRequest,
  signal: AbortSignal,
  onSign?: () => void,
): AsyncGenerator<ModelDelta> {
  try {
    signal.throwIfAborted()
    const { stream } = await provider.language.doStream({
      prompt: buildPrompt(request, provider),
      ...(request.tools.length === 0 ? {} : { tools: buildTools(request.tools) }),
      providerOptions: provider.providerOptions,
      abortSignal: signal,
      // Raw events too: the keep-alive events of a thinking model produce no other part.
      includeRawChunks: true,
    })
    const reader = createStreamReader(provider.model)
    let chars = 0
    // Leaving the loop early cancels the stream, and with it the connection.
    for await (const part of stream) {
      if (part.type === 'raw') onSign?.()
      for (const delta of reader.read(part)) {
        chars += charsOf(delta)
        if (chars > MOST_CHARS) throw tooLong(provider.model)
        yield delta
      }
      if (reader.isFinished()) return
    }
    throw new ModelError('torn_stream', `${provider.model}: the answer ended early. Try again later.`)
  } catch (thrown) {
    signal.throwIfAborted()
    throw explainFailure(thrown, provider)
  }
}

/** How much of a message a delta adds; what surrounds it counts too, so that no number of empty ones is free. */
function charsOf(delta: ModelDelta): number {
  const {
    text = '',
    name = '',
    metadata,
  } = delta as {
    readonly text?: string
    readonly name?: string
    readonly metadata?: unknown
  }
  return (
    text.length + name.length + (metadata === undefined ? 0 : JSON.stringify(metadata).length) + DELTA_CHARS
  )
}

function tooLong(model: string): ModelError {
  return new ModelError(
    'torn_stream',
    `${model}: the answer has more than ${MOST_CHARS} characters, so the rest was not read. Try again later.`,
  )
}
