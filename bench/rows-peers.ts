import { openAiSdkPeer } from './ai-sdk-peer.ts'
import { openGeminiPeer } from './gemini-peer.ts'
import { openLangGraphPeer } from './langgraph-peer.ts'
import { atMost, timeInTurns } from './measure.ts'
import type { Row } from './measure.ts'
import { makePlace } from './place.ts'

const MANY = 101

/** Row 3: what a call costs in libraries that do something alike. What a turn costs besides is left out for those that need one. */
export async function peerRows(): Promise<readonly Row[]> {
  const place = makePlace()
  const peers = {
    ai: await openAiSdkPeer(),
    graph: await openLangGraphPeer(),
    gemini: await openGeminiPeer(),
  }
  for (const [name, run] of Object.entries(peers))
    if ((await run(3)) !== 3) throw new Error(`the peer ${name} did not answer every call`)
  const runtime = await place.open({ config: { 'tools.max_tool_calls_per_batch': 1000 } })
  const batch = (calls: number) =>
    Array.from({ length: calls }, (_, index) => ({
      id: `c${index}`,
      name: 'trivial',
      args: { a: 1, b: 2 },
    }))
  const one = batch(1)
  const many = batch(MANY)
  try {
    const times = await timeInTurns(
      {
        oursOne: () => runtime.run(one),
        oursMany: () => runtime.run(many),
        aiOne: () => peers.ai(1),
        aiMany: () => peers.ai(MANY),
        graphOne: () => peers.graph(1),
        graphMany: () => peers.graph(MANY),
        gemini: () => peers.gemini(1),
      },
      { rounds: 9, runs: 20, warmUp: 30 },
    )
    const further = (alone: number, together: number): number => (together - alone) / (MANY - 1)
    const ours = further(times.oursOne, times.oursMany)
    return [
      atMost(
        '3 a call, against the Gemini CLI scheduler',
        times.oursOne,
        times.gemini,
        'us per call',
        1 / 50,
      ),
      atMost(
        '3 a further call, against the AI SDK',
        ours,
        further(times.aiOne, times.aiMany),
        'us per call',
        0.4,
      ),
      atMost(
        '3 a further call, against LangGraph',
        ours,
        further(times.graphOne, times.graphMany),
        'us per call',
        0.4,
      ),
    ]
  } finally {
    await runtime.close()
    place.clean()
  }
}
