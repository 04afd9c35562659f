import { cpSync } from 'node:fs'
import { join } from 'node:path'
import type { Bench } from '../../bench-folder.ts'
import { inAnother } from '../../pipeline/approve/waiting-bench.ts'
import { batchOf } from '../../pipeline/sample-tools.ts'

/** Copies the anchors of sessions that are open; calling the result puts them back, as a killed process leaves them. */
export function copyAnchors({ stateDir }: Pick<Bench, 'stateDir'>): () => void {
  const anchors = join(stateDir, 'anchors')
  cpSync(anchors, `${anchors}.open`, { recursive: true })
  return () => cpSync(`${anchors}.open`, anchors, { recursive: true })
}

/** Leaves what a killed process leaves of the session `s`: an anchor that was never closed, from before what is done here. */
export async function killedWhileOpen<T>(b: Bench, act: () => Promise<T>): Promise<T> {
  const putBack = await inAnother(b, {}, async (runtime) => {
    await runtime.run(batchOf(['echo']), { session: 's' })
    return copyAnchors(b)
  })
  const done = await act()
  putBack()
  return done
}
