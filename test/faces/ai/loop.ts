import { generateText, isStepCount } from 'ai'
import type { ModelMessage, ToolSet } from 'ai'
import { MockLanguageModelV4 } from 'ai/test'

/** A call that the model makes. */
export interface MadeCall {
  readonly id: string
  readonly name: string
  readonly args: object
}

const NO_USAGE = {
  inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 1, text: 1, reasoning: 0 },
}

/** A model that makes these calls, message by message, and says "done" at the end. */
export function modelOf(...messages: readonly (readonly MadeCall[])[]): MockLanguageModelV4 {
  const made = messages.map((calls) => ({
    content: calls.map(({ id, name, args }) => ({
      type: 'tool-call' as const,
      toolCallId: id,
      toolName: name,
      input: JSON.stringify(args),
    })),
    finishReason: { unified: 'tool-calls' as const, raw: undefined },
    usage: NO_USAGE,
    warnings: [],
  }))
  const end = {
    content: [{ type: 'text' as const, text: 'done' }],
    finishReason: { unified: 'stop' as const, raw: undefined },
    usage: NO_USAGE,
    warnings: [],
  }
  return new MockLanguageModelV4({ doGenerate: [...made, end] })
}

/** What a run of a loop gave. */
export interface Looped {
  readonly messages: readonly ModelMessage[]
  readonly asked: readonly { readonly approvalId: string; readonly toolCallId: string }[]
  /** What the model was told of each call, by the id of the call. */
  readonly told: Readonly<Record<string, unknown>>
  readonly text: string
}

/** Runs a loop as an application does. */
export async function loop(
  model: MockLanguageModelV4,
  tools: ToolSet,
  messages: readonly ModelMessage[] = [{ role: 'user', content: 'go' }],
  more: {
    readonly abortSignal?: AbortSignal
    readonly toolCallConcurrency?: number
    readonly toolApproval?: () => 'approved' | 'not-applicable'
  } = {},
): Promise<Looped> {
  const end = await generateText({ model, tools, messages: [...messages], stopWhen: isStepCount(8), ...more })
  const all = [...messages, ...end.responseMessages]
  return {
    messages: all,
    asked: end.content.flatMap((part) =>
      part.type === 'tool-approval-request'
        ? [{ approvalId: part.approvalId, toolCallId: part.toolCall.toolCallId }]
        : [],
    ),
    told: Object.fromEntries(
      (model.doGenerateCalls.at(-1)?.prompt ?? []).flatMap((message) =>
        message.role === 'tool'
          ? message.content.flatMap((part) =>
              part.type === 'tool-result' ? [[part.toolCallId, part.output]] : [],
            )
          : [],
      ),
    ),
    text: end.text,
  }
}

/** The messages with the answers of a person. */
export function answered(
  { messages, asked }: Looped,
  approved: boolean,
  reason?: string,
): readonly ModelMessage[] {
  const content = asked.map(({ approvalId }) => ({
    type: 'tool-approval-response' as const,
    approvalId,
    approved,
    ...(reason === undefined ? {} : { reason }),
  }))
  return [...messages, { role: 'tool', content }]
}
