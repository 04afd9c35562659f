import { loadPeer } from './load-peer.ts'

interface Prebuilt {
  readonly ToolNode: new (tools: readonly unknown[]) => {
    readonly invoke: (state: object) => Promise<{ readonly messages: readonly unknown[] }>
  }
}

interface Tools {
  readonly tool: (
    run: (args: { readonly a: number; readonly b: number }) => string,
    definition: object,
  ) => unknown
}

interface Messages {
  readonly AIMessage: new (message: object) => unknown
}

interface Zod {
  readonly z: { readonly object: (shape: object) => unknown; readonly number: () => unknown }
}

/** One message with some calls of the trivial tool through LangGraph's node for tools. */
export async function openLangGraphPeer(): Promise<(calls: number) => Promise<number>> {
  const { ToolNode } = await loadPeer<Prebuilt>('@langchain/langgraph/prebuilt')
  const { tool } = await loadPeer<Tools>('@langchain/core/tools')
  const { AIMessage } = await loadPeer<Messages>('@langchain/core/messages')
  const { z } = await loadPeer<Zod>('zod')
  const trivial = tool(({ a, b }) => JSON.stringify({ sum: a + b }), {
    name: 'trivial',
    description: 'Adds two numbers',
    schema: z.object({ a: z.number(), b: z.number() }),
  })
  const node = new ToolNode([trivial])
  return async (calls) => {
    const tool_calls = Array.from({ length: calls }, (_, index) => ({
      id: `c${index}`,
      name: 'trivial',
      args: { a: 1, b: 2 },
      type: 'tool_call',
    }))
    const { messages } = await node.invoke({ messages: [new AIMessage({ content: '', tool_calls })] })
    return messages.length
  }
}
