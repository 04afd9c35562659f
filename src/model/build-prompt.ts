import type {
  LanguageModelV4FunctionTool,
  LanguageModelV4Message,
  LanguageModelV4Prompt,
  LanguageModelV4ReasoningPart,
  LanguageModelV4TextPart,
  LanguageModelV4ToolCallPart,
} from '@ai-sdk/provider'
import { parseJson } from '../core/json/parse.ts'
import { isJsonObject } from '../core/json/value.ts'
import type { AdvertisedTool, AssistantPart, ModelMessage, ModelRequest } from './model-client.ts'
import { openMetadata } from './returned-metadata.ts'

type SaidPart = LanguageModelV4TextPart | LanguageModelV4ReasoningPart | LanguageModelV4ToolCallPart

/**
 * The request as the provider packages want it. The same message always becomes the same bytes, so that a longer
 * conversation begins with exactly what was cached of the shorter one.
 */
export function buildPrompt(request: ModelRequest, model: string): LanguageModelV4Prompt {
  const system: LanguageModelV4Prompt =
    request.system === '' ? [] : [{ role: 'system', content: request.system }]
  return [...system, ...request.messages.flatMap((message) => buildMessage(message, model))]
}

/** The tools in the order given. */
export function buildTools(tools: readonly AdvertisedTool[]): LanguageModelV4FunctionTool[] {
  return tools.map(({ name, description, inputSchema }) => ({
    type: 'function',
    name,
    description,
    inputSchema: inputSchema as LanguageModelV4FunctionTool['inputSchema'],
  }))
}

/** Providers refuse messages without content, so an empty one is left out. */
function buildMessage(message: ModelMessage, model: string): LanguageModelV4Message[] {
  switch (message.role) {
    case 'user':
      return message.text === '' ? [] : [{ role: 'user', content: [{ type: 'text', text: message.text }] }]
    case 'assistant': {
      const content = buildParts(message.parts, model)
      // Reasoning alone answers nothing, and no provider takes it without what it led to.
      return content.some(({ type }) => type !== 'reasoning') ? [{ role: 'assistant', content }] : []
    }
    case 'tool':
      return message.results.length === 0
        ? []
        : [
            {
              role: 'tool',
              content: message.results.map(({ id, name, content, isError }) => ({
                type: 'tool-result',
                toolCallId: id,
                toolName: name,
                output: { type: isError ? 'error-text' : 'text', value: content },
              })),
            },
          ]
  }
}

function buildParts(parts: readonly AssistantPart[], model: string): SaidPart[] {
  const built: SaidPart[] = []
  // Reasoning may have been kept delta by delta; the piece with metadata closes a block.
  let thought = ''
  for (const part of parts) {
    if (part.type === 'reasoning') thought += part.text
    if (part.type === 'reasoning' && part.metadata === undefined) continue
    if (part.type === 'text') {
      if (part.text !== '') built.push({ type: 'text', text: part.text })
      continue
    }
    const metadata = openMetadata(part.metadata, model)
    const options = metadata?.options === undefined ? {} : { providerOptions: metadata.options }
    if (part.type === 'call') {
      const input = readArguments(part.argsText)
      built.push({ type: 'tool-call', toolCallId: part.id, toolName: part.name, input, ...options })
    } else if (metadata?.of === 'text') {
      const text = built.pop()
      if (text !== undefined) built.push(text.type === 'text' ? { ...text, ...options } : text)
    } else {
      if (metadata !== null) built.push({ type: 'reasoning', text: thought, ...options })
      thought = ''
    }
  }
  return built
}

/** Providers take objects only; text that is none is shown to the model as what it wrote. */
function readArguments(argsText: string): unknown {
  const args = parseJson(argsText === '' ? '{}' : argsText)
  if (args === undefined) return { not_json: argsText }
  return isJsonObject(args) ? args : { not_an_object: args }
}
