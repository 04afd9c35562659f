import type {
  LanguageModelV4FunctionTool,
  LanguageModelV4Message,
  LanguageModelV4Prompt,
  LanguageModelV4ReasoningPart,
  LanguageModelV4TextPart,
  LanguageModelV4ToolCallPart,
  SharedV4ProviderOptions,
} from '@ai-sdk/provider'
import { isJsonObject, parseJson } from '../core/json/value.ts'
import { createCallLabels } from './call-labels.ts'
import type { CallLabels, IdRules } from './call-labels.ts'
import type { Attachment } from '../core/attachment/attachment.ts'
import type { AdvertisedTool, AssistantPart, ModelMessage, ModelRequest } from './model-client.ts'
import { openMetadata } from './returned-metadata.ts'
import { fileParts, placeAttached } from './sent-attachments.ts'
import type { AttachedTo, FilePart } from './sent-attachments.ts'

type SaidPart = LanguageModelV4TextPart | LanguageModelV4ReasoningPart | LanguageModelV4ToolCallPart

/** What a provider wants of a request. */
export interface PromptRules {
  readonly model: string
  readonly ids: IdRules
  /** Marks the instructions, which stay the same, as worth caching by themselves; null for no mark. */
  readonly cacheMarker: SharedV4ProviderOptions | null
  readonly attachedTo: AttachedTo
}

/**
 * The request in the form of the provider packages. The same message always becomes the same bytes, so that a longer
 * conversation starts with exactly what was cached of the shorter one.
 */
export function buildPrompt(
  request: ModelRequest,
  { model, ids, cacheMarker, attachedTo }: PromptRules,
): LanguageModelV4Prompt {
  const system: LanguageModelV4Prompt =
    request.system === ''
      ? []
      : [
          {
            role: 'system',
            content: request.system,
            ...(cacheMarker === null ? {} : { providerOptions: cacheMarker }),
          },
        ]
  const labels = createCallLabels(ids, request.tools)
  const said = placeAttached(request.messages.filter(hasContent), attachedTo, request.attachments)
  const show: Building['show'] = (attached) => fileParts(attached, request.attachments)
  const built = joinUsers(said).map((message) => buildMessage(message, { model, labels, show }))
  return [...system, ...joinContents(built)]
}

/** The same for those with attachments, part by part. */
function joinContents(messages: readonly LanguageModelV4Message[]): readonly LanguageModelV4Message[] {
  const joined: LanguageModelV4Message[] = []
  for (const message of messages) {
    const last = joined.at(-1)
    if (message.role === 'user' && last?.role === 'user')
      joined[joined.length - 1] = { role: 'user', content: [...last.content, ...message.content] }
    else joined.push(message)
  }
  return joined
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

/** Leaves out empty messages, which providers reject. */
function hasContent(message: ModelMessage): boolean {
  switch (message.role) {
    case 'user':
      return !isBlank(message.text) || message.attached !== undefined
    case 'assistant':
      // Reasoning alone is not an answer, and providers reject it without what it led to.
      return message.parts.some(
        (part) => part.type === 'call' || (part.type === 'text' && !isBlank(part.text)),
      )
    case 'tool':
      return message.results.length > 0
  }
}

/**
 * Merges consecutive user messages, because many servers require alternating roles. What comes later is only added at the
 * end, so text after an attachment stays apart from the text before it.
 */
function joinUsers(messages: readonly ModelMessage[]): readonly ModelMessage[] {
  const joined: ModelMessage[] = []
  for (const message of messages) {
    const last = joined.at(-1)
    if (message.role === 'user' && last?.role === 'user' && last.attached === undefined)
      joined[joined.length - 1] = { ...message, text: `${last.text}\n\n${message.text}` }
    else joined.push(message)
  }
  return joined
}

interface Building {
  readonly model: string
  readonly labels: CallLabels
  readonly show: (attached: readonly Attachment[] | undefined) => readonly FilePart[]
}

function buildMessage(message: ModelMessage, { model, labels, show }: Building): LanguageModelV4Message {
  switch (message.role) {
    case 'user':
      return {
        role: 'user',
        content: [
          ...(isBlank(message.text) ? [] : [{ type: 'text', text: message.text } as const]),
          ...show(message.attached),
        ],
      }
    case 'assistant':
      labels.begin()
      return { role: 'assistant', content: buildParts(message.parts, model, labels) }
    case 'tool':
      return {
        role: 'tool',
        content: message.results.map(({ id, name, content, isError, attached }) => ({
          type: 'tool-result',
          toolCallId: labels.ofResult(id),
          toolName: labels.ofName(name),
          output:
            attached === undefined
              ? { type: isError ? 'error-text' : 'text', value: content }
              : { type: 'content', value: [{ type: 'text', text: content }, ...show(attached)] },
        })),
      }
  }
}

/** Some providers reject text that is only white space. */
function isBlank(text: string): boolean {
  return text.trim() === ''
}

function buildParts(parts: readonly AssistantPart[], model: string, labels: CallLabels): SaidPart[] {
  const built: SaidPart[] = []
  // Reasoning may be stored delta by delta; the piece with metadata closes a block.
  let thought = ''
  let hasText = false
  for (const part of parts) {
    if (part.type === 'reasoning') thought += part.text
    if (part.type === 'reasoning' && part.metadata === undefined) continue
    if (part.type === 'text') {
      hasText = !isBlank(part.text)
      if (hasText) built.push({ type: 'text', text: part.text })
      continue
    }
    const metadata = openMetadata(part.metadata, model)
    const options = metadata?.options === undefined ? {} : { providerOptions: metadata.options }
    if (part.type === 'call') {
      const input = readArguments(part.argsText)
      built.push({
        type: 'tool-call',
        toolCallId: labels.ofCall(part.id),
        toolName: labels.ofName(part.name),
        input,
        ...options,
      })
    } else if (metadata?.of === 'text') {
      const text = hasText ? built.at(-1) : undefined
      if (text?.type === 'text') built[built.length - 1] = { ...text, ...options }
    } else {
      if (metadata !== null) built.push({ type: 'reasoning', text: thought, ...options })
      thought = ''
    }
  }
  return built
}

/** Providers accept only objects; anything else is wrapped, so that the model sees what it wrote. */
function readArguments(argsText: string): unknown {
  const args = parseJson(argsText === '' ? '{}' : argsText)
  if (args === undefined) return { not_json: argsText }
  return isJsonObject(args) ? args : { not_an_object: args }
}
