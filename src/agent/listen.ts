import type { AssistantPart, ModelClient } from '../model/model-client.ts'
import type { ConversationEvent, Usage } from './events.ts'
import type { Transcript } from './transcript.ts'

/** What a turn has used so far. */
export interface Spent {
  usage: Usage
  readonly startedAt: number
}

/** Listens to one message of the model; calls are on record before the message is complete. */
export async function* listen(
  model: ModelClient,
  request: Parameters<ModelClient['stream']>[0],
  turn: string,
  parts: AssistantPart[],
  transcript: Transcript,
  spent: Spent,
  signal: AbortSignal,
): AsyncGenerator<ConversationEvent> {
  const names = new Map<string, string>()
  for await (const delta of model.stream(request, signal)) {
    switch (delta.type) {
      case 'text': {
        const last = parts.at(-1)
        if (last?.type === 'text') parts[parts.length - 1] = { type: 'text', text: last.text + delta.text }
        else parts.push({ type: 'text', text: delta.text })
        yield { event: 'text', text: delta.text }
        break
      }
      case 'reasoning':
        parts.push({
          type: 'reasoning',
          text: delta.text,
          ...(delta.metadata === undefined ? {} : { metadata: delta.metadata }),
        })
        break
      case 'call_start':
        names.set(delta.id, delta.name)
        break
      case 'call_end': {
        const part = {
          type: 'call',
          id: delta.id,
          name: names.get(delta.id) ?? '',
          argsText: delta.argsText,
          ...(delta.metadata === undefined ? {} : { metadata: delta.metadata }),
        } as const
        parts.push(part)
        transcript.stream(turn, part)
        break
      }
      case 'usage':
        spent.usage = {
          ...spent.usage,
          input_tokens: spent.usage.input_tokens + delta.input,
          output_tokens: spent.usage.output_tokens + delta.output,
          cached_tokens: spent.usage.cached_tokens + delta.cached,
        }
        break
      case 'call_delta':
      case 'end':
        break
    }
  }
}
