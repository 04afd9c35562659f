import { onTestFinished } from 'vitest'
import type { LayerRung } from '../../../src/core/layer.ts'
import { makeLayerBench } from './layer-bench.ts'
import type { LayerBench } from './layer-bench.ts'

/** Makes a workspace with lines of shell, and runs others on a layer over it; removed when the test ends. */
export function benchWith(prepare: string, script: string | null, rung: LayerRung = 'overlay'): LayerBench {
  const bench = makeLayerBench(rung)
  onTestFinished(bench.remove)
  bench.prepare(prepare)
  if (script !== null) bench.onLayer(script)
  return bench
}

/** The error code and message of a reading that is refused. */
export async function refusalOf(reading: Promise<unknown>): Promise<string> {
  return reading.then(
    () => 'not refused',
    (thrown: unknown) => (thrown instanceof Error && 'error' in thrown ? describe(thrown) : String(thrown)),
  )
}

function describe(thrown: Error & { readonly error: unknown }): string {
  const { code } = thrown.error as { readonly code: string }
  return `${code}: ${thrown.message}`
}
