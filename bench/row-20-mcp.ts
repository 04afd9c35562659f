import { Client, InMemoryTransport as ClientMemory } from '@modelcontextprotocol/client'
import { InMemoryTransport, Server } from '@modelcontextprotocol/server'
import { openConnection } from '../src/faces/mcp/connection.ts'
import { createServer, createStateCodec } from '../src/faces/mcp/create-server.ts'
import { createArgumentProblems } from '../src/faces/mcp/line-transport.ts'
import type { Runtime } from '../src/runtime/runtime.ts'
import { atMost, cpuClock, round, timeInTurns, withLimit } from './measure.ts'
import type { Row } from './measure.ts'
import { makePlace } from './place.ts'

const CALL = { name: 'trivial', arguments: { a: 1, b: 2 } }

/**
 * Row 20: what MCP adds to a call, beside the library's own call and a call of the protocol's own that does nothing. They
 * are timed in two ways: each in a loop of its own, and one after the other. In loops of their own they cost a third
 * less together, because the code of one is not there to evict the other's from the caches of the processor; a call over
 * MCP runs both each time. The first row is the sum as it is commonly understood, the second the same work in the same
 * order.
 *
 * All are warmed up by thousands of calls, because code that is still being compiled is several times slower and there
 * is more of it on our side. The runs of a turn are few, so that the session of ours does not rest in between: after a
 * quarter of a second it is free for others, and the next call opens it again, which is no cost of a call.
 */
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
  const byLibrary = () => direct.run([{ id: `m${calls++}`, name: 'trivial', args: { a: 1, b: 2 } }], options)
  const bySdk = () => bare.callTool(CALL)
  try {
    const times = await timeInTurns(
      {
        ours: () => ours.callTool(CALL),
        library: byLibrary,
        sdk: bySdk,
        both: async () => {
          await byLibrary()
          await bySdk()
        },
      },
      { rounds: 101, runs: 50, warmUp: 200, clock: cpuClock },
    )
    const name =
      '20 a call over MCP in one process, against the same call by the library and an empty call of the MCP SDK'
    const sum = times.library + times.sdk
    return [
      withLimit(
        atMost(`${name}, each timed by itself`, times.ours, sum, 'us per call', 1.5),
        `one after the other, the two take ${round(times.both)} us instead of ${round(sum)}: the rest up to that is what the caches of the processor give to a loop over one of them`,
      ),
      atMost(`${name}, one after the other`, times.ours, times.both, 'us per call', 1.5),
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
