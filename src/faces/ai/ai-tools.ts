import { Buffer } from 'node:buffer'
import { jsonSchema, tool } from 'ai'
import type { ModelMessage, ToolSet } from 'ai'
import type { AttachmentType } from '../../core/attachment/attachment.ts'
import type { JsonObject, JsonValue } from '../../core/json/value.ts'
import type { ToolDefinition } from '../../core/registry.ts'
import { SEARCH_TOOLS } from '../../core/registry.ts'
import type { FailedResult, ToolResult } from '../../core/result.ts'
import type { Runtime } from '../../runtime/runtime.ts'
import { SdkCalls } from './sdk-calls.ts'
import type { CallerOptions, SdkCall } from './sdk-calls.ts'

/** Options of tools for the AI SDK. */
export interface AiToolOptions extends CallerOptions {
  /** The names of the tools; those that models are told about if absent, and `all` is every one that is not denied. */
  readonly tools?: readonly string[] | 'all'
}

/** What a call of such a tool gives. */
export interface AiToolOutput {
  /** The text that the model is given. */
  readonly content: string
  /** The result by the output schema of the tool. */
  readonly result: JsonObject
  /** The id of the call in the log. */
  readonly execution: string
  /** The pictures and documents that the model is shown with it, as base64. */
  readonly attached?: readonly { readonly type: AttachmentType; readonly data: string }[]
}

/** Thrown for a call that did not do what it was asked; the message is what the model is told. */
export class RefusedCall extends Error {
  readonly result: FailedResult

  constructor(result: FailedResult) {
    super(result.content)
    this.name = 'RefusedCall'
    this.result = result
  }
}

/**
 * The tools of a runtime as tools of the AI SDK. Every call takes the usual way: checked, judged, asked about, confined,
 * recorded. Open the runtime with `approve: 'later'` to have the application ask by the SDK's approval requests.
 */
export function aiTools(runtime: Runtime, options: AiToolOptions = {}): ToolSet {
  const calls = new SdkCalls(runtime, options)
  return Object.fromEntries(
    choose(runtime, options.tools).map((definition) => [definition.name, toAiTool(definition, calls)]),
  )
}

/**
 * Records the denials in these messages as answers to our questions. The tools do so whenever they are used; call it to
 * have a denial on record before the model is asked again.
 */
export async function noteDenials(
  runtime: Runtime,
  messages: readonly ModelMessage[],
  options: CallerOptions & { readonly session: string },
): Promise<void> {
  await new SdkCalls(runtime, options).noteDenials(messages)
}

function choose(runtime: Runtime, wanted: AiToolOptions['tools']): readonly ToolDefinition[] {
  // The set of tools is fixed when a loop of the SDK begins, so nothing can be added that is found later.
  if (wanted === undefined) return runtime.advertised().filter(({ name }) => name !== SEARCH_TOOLS)
  const offered = runtime.offered()
  if (wanted === 'all') return offered
  return wanted.map((name) => {
    const found = offered.find((definition) => definition.name === name)
    if (found === undefined)
      throw new TypeError(`aiTools: there is no tool ${JSON.stringify(name)}, or it is denied`)
    return found
  })
}

function toAiTool({ name, description, inputSchema }: ToolDefinition, calls: SdkCalls): ToolSet[string] {
  const callOf = (input: JsonValue, { toolCallId, messages }: Omit<SdkCall, 'name' | 'input'>): SdkCall => ({
    name,
    input,
    toolCallId,
    messages,
  })
  return tool<JsonValue, AiToolOutput, Record<string, unknown>>({
    description,
    // Not validated by the SDK: the pipeline does it, and says what to write instead.
    inputSchema: jsonSchema<JsonValue>(structuredClone(inputSchema)),
    needsApproval: (input, asking) => calls.asks(callOf(input, asking)),
    async execute(input, running): Promise<AiToolOutput> {
      const row = await calls.run(callOf(input, running), running.abortSignal)
      if (!row.ok) throw new RefusedCall(row)
      const attached = await contentsOf(row, calls)
      const { content, result, execution } = row
      return { content, result, execution: execution.id, ...(attached.length === 0 ? {} : { attached }) }
    },
    toModelOutput: ({ output: { content, attached } }) =>
      attached === undefined
        ? { type: 'text', value: content }
        : {
            type: 'content',
            value: [
              { type: 'text', text: content },
              ...attached.map(({ type, data }) => ({
                type: 'file' as const,
                mediaType: type,
                data: { type: 'data' as const, data },
              })),
            ],
          },
  })
}

async function contentsOf({ attached = [] }: ToolResult, calls: SdkCalls) {
  const found: { readonly type: AttachmentType; readonly data: string }[] = []
  for (const { type, sha256 } of attached) {
    const bytes = await calls.contentOf(sha256)
    if (bytes !== null) found.push({ type, data: Buffer.from(bytes).toString('base64') })
  }
  return found
}
