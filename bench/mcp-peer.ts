import { loadPeer } from './load-peer.ts'

interface McpClient {
  readonly connect: (transport: unknown) => Promise<void>
  readonly callTool: (call: { readonly name: string; readonly arguments: object }) => Promise<unknown>
  readonly close: () => Promise<void>
}

interface McpModules {
  readonly client: { readonly Client: new (info: object) => McpClient }
  readonly server: {
    readonly McpServer: new (info: object) => {
      registerTool: (name: string, config: object, run: (args: { a: number; b: number }) => unknown) => void
      connect: (transport: unknown) => Promise<void>
    }
  }
  readonly memory: {
    readonly InMemoryTransport: { readonly createLinkedPair: () => readonly [unknown, unknown] }
  }
  readonly zod: { readonly z: { readonly number: () => unknown } }
}

/** The same trivial tool behind an MCP server in memory: what most people would have today. */
export async function openMcpPeer(): Promise<McpClient> {
  const modules: McpModules = {
    client: await loadPeer('@modelcontextprotocol/sdk/client/index.js'),
    server: await loadPeer('@modelcontextprotocol/sdk/server/mcp.js'),
    memory: await loadPeer('@modelcontextprotocol/sdk/inMemory.js'),
    zod: await loadPeer('zod'),
  }
  const { z } = modules.zod
  const server = new modules.server.McpServer({ name: 'peer', version: '1.0.0' })
  server.registerTool(
    'trivial',
    {
      description: 'Adds two numbers',
      inputSchema: { a: z.number(), b: z.number() },
      outputSchema: { sum: z.number() },
    },
    ({ a, b }) => {
      const structuredContent = { sum: a + b }
      return { content: [{ type: 'text', text: JSON.stringify(structuredContent) }], structuredContent }
    },
  )
  const [left, right] = modules.memory.InMemoryTransport.createLinkedPair()
  await server.connect(left)
  const client = new modules.client.Client({ name: 'bench', version: '1.0.0' })
  await client.connect(right)
  return client
}
