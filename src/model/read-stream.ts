import type {
  LanguageModelV4FinishReason,
  LanguageModelV4StreamPart,
  LanguageModelV4Usage,
  SharedV4ProviderMetadata,
} from '@ai-sdk/provider'
import { parseJson } from '../core/json/value.ts'
import { ModelError } from './model-client.ts'
import type { EndReason, ModelDelta } from './model-client.ts'
import { mergeMetadata, sealMetadata } from './returned-metadata.ts'

type Finish = Extract<LanguageModelV4StreamPart, { type: 'finish' }>
type Call = Extract<LanguageModelV4StreamPart, { type: 'tool-call' }>

/** The only metadata of a text that providers want back. */
const TEXT_METADATA_KEYS = new Set(['thoughtSignature', 'phase'])

/** Turns the parts of one message into deltas; a part may give none. */
export interface StreamReader {
  readonly read: (part: LanguageModelV4StreamPart) => readonly ModelDelta[]
  readonly isFinished: () => boolean
}

/**
 * Every reasoning block is closed by a delta with metadata. A call ends as soon as its arguments are complete; one
 * whose arguments are not JSON ends with the message, because a torn stream may have cut it.
 */
export function createStreamReader(model: string): StreamReader {
  const blocks = new Map<string, SharedV4ProviderMetadata | undefined>()
  const started = new Set<string>()
  const doubtful: Call[] = []
  /** Calls that the provider has run by itself: what they did is not ours to do again. */
  const ranElsewhere = new Set<string>()
  let hasCalls = false
  let isFinished = false

  const collect = (id: string, metadata: SharedV4ProviderMetadata | undefined): void => {
    blocks.set(id, mergeMetadata(blocks.get(id), metadata))
  }
  const end = (id: string, last: SharedV4ProviderMetadata | undefined): typeof last => {
    const metadata = mergeMetadata(blocks.get(id), last)
    blocks.delete(id)
    return metadata
  }
  const endText = (id: string, last: SharedV4ProviderMetadata | undefined): ModelDelta[] => {
    const picked = pickTextMetadata(end(id, last))
    return picked === undefined
      ? []
      : [{ type: 'reasoning', text: '', metadata: sealMetadata(model, picked, 'text') }]
  }
  const startCall = (id: string, name: string): ModelDelta[] => {
    if (started.has(id)) return []
    started.add(id)
    hasCalls = true
    return [{ type: 'call_start', id, name }]
  }
  const endCall = ({ toolCallId: id, toolName, input, providerMetadata }: Call): ModelDelta[] => {
    const metadata = providerMetadata === undefined ? {} : { metadata: sealMetadata(model, providerMetadata) }
    const begin = startCall(id, toolName)
    // If the model uses an id twice, the second call starts like the first.
    started.delete(id)
    return [...begin, { type: 'call_end', id, argsText: input, ...metadata }]
  }
  const finish = ({ finishReason, usage }: Finish): ModelDelta[] => {
    if (finishReason.unified === 'interrupted' || finishReason.unified === 'error') {
      throw new ModelError('torn_stream', `${model}: the answer broke off. Try again.`)
    }
    isFinished = true
    const ended = doubtful.flatMap(endCall)
    return [...ended, readUsage(usage), { type: 'end', reason: readReason(finishReason, hasCalls) }]
  }

  return {
    isFinished: () => isFinished,
    read: (part) => {
      switch (part.type) {
        case 'text-start':
          collect(`text ${part.id}`, part.providerMetadata)
          return []
        case 'text-delta':
          collect(`text ${part.id}`, part.providerMetadata)
          return part.delta === '' ? [] : [{ type: 'text', text: part.delta }]
        case 'text-end':
          return endText(`text ${part.id}`, part.providerMetadata)
        case 'reasoning-start':
          collect(`thought ${part.id}`, part.providerMetadata)
          return []
        case 'reasoning-delta':
          collect(`thought ${part.id}`, part.providerMetadata)
          return part.delta === '' ? [] : [{ type: 'reasoning', text: part.delta }]
        case 'reasoning-end': {
          const metadata = sealMetadata(model, end(`thought ${part.id}`, part.providerMetadata))
          return [{ type: 'reasoning', text: '', metadata }]
        }
        case 'tool-input-start':
          if (part.providerExecuted !== true) return startCall(part.id, part.toolName)
          ranElsewhere.add(part.id)
          return []
        case 'tool-input-delta':
          return part.delta === '' || ranElsewhere.has(part.id)
            ? []
            : [{ type: 'call_delta', id: part.id, text: part.delta }]
        case 'tool-call':
          if (part.providerExecuted === true || ranElsewhere.has(part.toolCallId)) return []
          if (parseJson(part.input) !== undefined) return endCall(part)
          doubtful.push(part)
          return []
        case 'finish':
          return finish(part)
        case 'error':
          if (isNewKind(part.error)) return []
          throw part.error
        default:
          return []
      }
    },
  }
}

function pickTextMetadata(
  metadata: SharedV4ProviderMetadata | undefined,
): SharedV4ProviderMetadata | undefined {
  const picked = Object.entries(metadata ?? {}).flatMap(([provider, values]) => {
    const wanted = Object.entries(values).filter(
      ([key, value]) => TEXT_METADATA_KEYS.has(key) && value !== undefined && value !== null,
    )
    return wanted.length === 0 ? [] : [[provider, Object.fromEntries(wanted)] as const]
  })
  return picked.length === 0 ? undefined : Object.fromEntries(picked)
}

/** The events that one provider's package knows; it reports any other as an error. */
const KNOWN_EVENTS: ReadonlySet<unknown> = new Set([
  'message_start',
  'message_delta',
  'message_stop',
  'content_block_start',
  'content_block_delta',
  'content_block_stop',
  'ping',
  'error',
])

/** Providers add new kinds of events and ask clients to ignore unknown ones. */
function isNewKind(error: unknown): boolean {
  if (!(error instanceof Error) || error.name !== 'AI_TypeValidationError' || !('value' in error))
    return false
  const { value } = error
  if (typeof value !== 'object' || value === null || !('type' in value)) return false
  return typeof value.type === 'string' && !KNOWN_EVENTS.has(value.type)
}

function readUsage({ inputTokens, outputTokens }: LanguageModelV4Usage): ModelDelta {
  const { total, cacheRead } = inputTokens
  return { type: 'usage', input: total ?? 0, output: outputTokens.total ?? 0, cached: cacheRead ?? 0 }
}

/** Some servers say `stop` after calls, so the calls count. */
function readReason({ unified }: LanguageModelV4FinishReason, hasCalls: boolean): EndReason {
  if (unified === 'length') return 'length'
  if (unified === 'content-filter') return 'refused'
  if (unified === 'tool-calls' || (unified === 'stop' && hasCalls)) return 'calls'
  return unified === 'stop' ? 'stop' : 'other'
}
