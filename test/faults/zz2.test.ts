import { it } from 'vitest'
import { appendFileSync } from 'node:fs'
import { checkLaws, openWorld } from '../harness/faults/laws.ts'
import { withTrouble } from '../harness/faults/failing.ts'
import type { Trouble } from '../harness/faults/failing.ts'
import { LIBRARY_CALLS, SESSION } from '../harness/faults/script.ts'
import { layStage, learnGolden, STAGES } from '../harness/faults/stages.ts'
import { compareTrees, readTree } from '../harness/faults/tree.ts'
import { makeWorld } from '../harness/faults/world.ts'
import type { Acknowledged } from '../harness/faults/acknowledged.ts'
import type { Runtime } from '../../src/runtime/create-runtime.ts'

it('x', { timeout: 1000000 }, async () => {
  const world = makeWorld()
  const golden = await learnGolden(world, LIBRARY_CALLS)
  const seen = new Map<string, number>()
  let runs = 0
  const t0 = performance.now()
  for (const stage of STAGES) {
    appendFileSync('/tmp/zz2.log', `${stage.name} ${performance.now() - t0}\n`)
    await layStage(world, stage, LIBRARY_CALLS)
    for (const isLasting of (process.env['LASTING'] === '1' ? [true] : [false]))
    for (const trouble of ['ENOSPC', 'EIO', 'EROFS', 'EMFILE'] as Trouble[]) {
      let misses = 0
      for (let n = 1; misses < 25; n++) {
        world.restore(stage.name)
        const t1 = performance.now()
        const acks: Acknowledged[] = []
        let runtime: Runtime | null = null
        let err: unknown = null
        let codes: string[] = []
        const hit = await withTrouble(n, trouble, isLasting, async () => {
          try {
            runtime = await openWorld(world, stage.approve, { 'tools.on_execution_error': 'stop' })
            await stage.act(runtime, LIBRARY_CALLS, (told) => acks.push(...told))
          } catch (e) { err = e }
        })
        if (hit === null) { misses++; await (runtime as Runtime | null)?.close(); continue }
        misses = 0
        runs++
        const now = readTree(world.root)
        const whole = golden.some((g) => compareTrees(g, now).length === 0)
        const e = err as Error | null
        const say = (what: string) => { const key = `${stage.name} ${trouble}${isLasting ? '+' : ''} ${hit.name} ${hit.target.replace(/[0-9a-z]{26,}/g, 'ID').replace(/\/proc\/\d+\/fd\/\d+/, 'FD').replace(/\d+/g, 'N').replace(world.top, '')}: ${what}`; if (!seen.has(key)) appendFileSync('/tmp/zz2.log', key + '\n'); seen.set(key, (seen.get(key) ?? 0) + 1) }
        if (e !== null && !('hint' in e)) say(`RAW ${e.name} ${e.message.slice(0, 100)} ${e.stack?.split('\n').slice(1, 4).map((l) => l.trim().replace(/.*main\//, '')).join(' < ')}`)
        if (!whole) say(`TREE mixed: ${golden.map((g) => compareTrees(g, now).length).join()} ${err}`)
        try {
          if (runtime !== null) { await (runtime as Runtime).ready(); }
        } catch (e2) { say(`READY ${e2}`) }
        try { await (runtime as Runtime | null)?.close() } catch (e2) { say(`CLOSE ${e2}`) }
        try {
        const broken = await checkLaws(world, { golden, acknowledged: acks, choice: 'resume' })
        for (const b of broken) say(`LAW ${b.replace(/[0-9a-z]{26,}/g, 'ID')}`)
        if (performance.now() - t1 > 1000) say(`SLOW ${performance.now() - t1}`)
        } catch (e3) { say(`LAWS threw ${(e3 as Error).stack}`) }
      }
    }
  }
  world.remove()
  console.log(runs, performance.now() - t0)
  for (const [k, c] of seen) console.log(c, k)
})
