import { loadPeer } from './load-peer.ts'

interface AiSdk {
  readonly generateText: (options: object) => Promise<{
    readonly steps: readonly { readonly toolResults: readonly unknown[] }[]
  }>
  readonly tool: (definition: object) => unknown
  readonly stepCountIs: (count: number) => unknown
}

interface Zod {
  readonly z: { readonly object: (shape: object) => unknown; readonly number: () => unknown }
}

const USAGE = {
  inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 1, text: 1, reasoning: 0 },
}

/** One user turn with the AI SDK: a model in memory asks for some calls of the trivial tool, and is done. */
export async function openAiSdkPeer(): Promise<(calls: number) => Promise<number>> {
  const { generateText, tool, stepCountIs } = await loadPeer<AiSdk>('ai')
  const { z } = await loadPeer<Zod>('zod')
  const shape = z.object({ a: z.number(), b: z.number() })
  const trivial = tool({
    description: 'Adds two numbers',
    inputSchema: shape,
    outputSchema: z.object({ sum: z.number() }),
    execute: async ({ a, b }: { readonly a: number; readonly b: number }) => ({ sum: a + b }),
  })
  Object.assign(globalThis, { AI_SDK_LOG_WARNINGS: false })
  return async (calls) => {
    const { steps } = await generateText({
      model: scriptedModel(calls),
      tools: { trivial },
      prompt: 'add',
      stopWhen: stepCountIs(3),
    })
    return steps[0]?.toolResults.length ?? 0
  }
}

function scriptedModel(calls: number): object {
  let step = 0
  return {
    specificationVersion: 'v4',
    provider: 'bench',
    modelId: 'bench',
    supportedUrls: {},
    async doGenerate() {
      const isFirst = step++ === 0
      const content = isFirst
        ? Array.from({ length: calls }, (_, index) => ({
            type: 'tool-call',
            toolCallId: `c${index}`,
            toolName: 'trivial',
            input: '{"a":1,"b":2}',
          }))
        : [{ type: 'text', text: 'done' }]
      const finishReason = { unified: isFirst ? 'tool-calls' : 'stop', raw: undefined }
      return { content, finishReason, usage: USAGE, warnings: [] }
    },
  }
}
