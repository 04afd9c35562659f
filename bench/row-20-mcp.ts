import { Client, InMemoryTransport as ClientMemory } from '@modelcontextprotocol/client'
import { InMemoryTransport, Server } from '@modelcontextprotocol/server'
import { openConnection } from '../src/faces/mcp/connection.ts'
import { createServer, createStateCodec } from '../src/faces/mcp/create-server.ts'
import { createArgumentProblems } from '../src/faces/mcp/line-transport.ts'
import type { Runtime } from '../src/runtime/runtime.ts'
import { atMost, cpuClock, timeInTurns } from './measure.ts'
import type { Row } from './measure.ts'
import { makePlace } from './place.ts'

const CALL = { name: 'trivial', arguments: { a: 1, b: 2 } }

/** Row 20: what MCP adds to a call, beside the library's own call and a call of the protocol's own that does nothing. */
export async function mcpRow(): Promise<readonly Row[]> {
  const place = makePlace()
  const [direct, served] = [await place.open(), await place.open()]
  const connection = openConnection(served as Runtime)
  const ours = await connect(
    createServer(
      {
        runtime: served as Runtime,
        states: createStateCodec(),
        commands: () => ({ usable: [], unusable: [] }),
      },
      connection,
      createArgumentProblems(),
    ),
  )
  const bare = await connect(createBareServer())
  // A client's calls are a model's, in a session of their own and one turn.
  const options = { session: await direct.begin('bench-'), origin: 'model', turn: 'one' } as const
  let calls = 0
  try {
    const times = await timeInTurns(
      {
        ours: () => ours.callTool(CALL),
        library: () => direct.run([{ id: `m${calls++}`, name: 'trivial', args: { a: 1, b: 2 } }], options),
        bare: () => bare.callTool(CALL),
      },
      { rounds: 15, runs: 100, clock: cpuClock },
    )
    return [
      atMost(
        '20 a call over MCP in one process, against the same call by the library and an empty call of the MCP SDK together',
        times.ours,
        times.library + times.bare,
        'us per call',
        1.5,
      ),
    ]
  } finally {
    await ours.close()
    await bare.close()
    await connection.close()
    await direct.close()
    await served.close()
    place.clean()
  }
}

/** The same tool without anything behind it. */
function createBareServer(): Server {
  const server = new Server({ name: 'bare', version: '1.0.0' }, { capabilities: { tools: {} } })
  const number = { type: 'number' }
  const inputSchema = { type: 'object', properties: { a: number, b: number }, required: ['a', 'b'] }
  const outputSchema = { type: 'object', properties: { sum: number }, required: ['sum'] }
  server.setRequestHandler(
    'tools/list',
    () => ({ tools: [{ name: 'trivial', inputSchema, outputSchema }] }) as never,
  )
  server.setRequestHandler('tools/call', ({ params }) => {
    const sum = Number(params.arguments?.['a']) + Number(params.arguments?.['b'])
    return { content: [{ type: 'text', text: JSON.stringify({ sum }) }], structuredContent: { sum } }
  })
  return server
}

async function connect(server: Server): Promise<Client> {
  const [left, right] = InMemoryTransport.createLinkedPair()
  await server.connect(left)
  const client = new Client({ name: 'bench', version: '1.0.0' })
  await client.connect(right as unknown as ClientMemory)
  return client
}
