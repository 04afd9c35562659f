import { openAiSdkPeer } from './ai-sdk-peer.ts'
import { openGeminiPeer } from './gemini-peer.ts'
import { openLangGraphPeer } from './langgraph-peer.ts'
import { callFloor, callLeast } from './floors.ts'
import { atMost, round, timeInTurns, withLimit } from './measure.ts'
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
    // A batch of one takes another way through each of them than a batch of many, so both are warmed up by themselves.
    const single = await timeInTurns(
      {
        ours: () => runtime.run(one),
        ai: () => peers.ai(1),
        graph: () => peers.graph(1),
        gemini: () => peers.gemini(1),
        least: callLeast,
      },
      { rounds: 9, runs: 100, warmUp: 150 },
    )
    const together = await timeInTurns(
      {
        ours: () => runtime.run(many),
        ai: () => peers.ai(MANY),
        graph: () => peers.graph(MANY),
      },
      { rounds: 9, runs: 10, warmUp: 50 },
    )
    const further = (peer: keyof typeof together): number => (together[peer] - single[peer]) / (MANY - 1)
    const floor = await callFloor()
    const againstFurther = (name: string, peer: 'ai' | 'graph'): Row =>
      withLimit(
        atMost(`3 a further call, against ${name}`, further('ours'), further(peer), 'us per call', 0.4),
        floor,
      )
    return [
      withLimit(
        atMost(
          '3 a call, against the Gemini CLI scheduler',
          single.ours,
          single.gemini,
          'us per call',
          1 / 50,
        ),
        `the least of it, three SHA-256, JSON and ten turns of the queue, took ${round(single.least)} us in the same turns, after whatever the others leave in the caches; ${floor}`,
      ),
      againstFurther('the AI SDK', 'ai'),
      againstFurther('LangGraph', 'graph'),
    ]
  } finally {
    await runtime.close()
    place.clean()
  }
}
