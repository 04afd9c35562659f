import { it } from 'vitest'
import { kill, makeLane, spell } from '../harness/faults/kills.ts'
import type { Kill } from '../harness/faults/kills.ts'
import { STAGES } from '../harness/faults/stages.ts'
it('x', { timeout: 100000 }, async () => {
  let t = performance.now()
  const lane = await makeLane()
  console.log('lane', performance.now() - t, lane.steps)
  let turn = 0
  for (const stage of STAGES) {
    for (const by of ['tongs', 'library'] as const)
      for (const k of [0.3, 0.7]) {
        t = performance.now()
        const job: Kill = {
          stage: stage.name,
          by,
          at: { is: 'step', number: Math.ceil(k * (lane.steps.get(`${stage.name} ${by}`) ?? 0)) },
          turn: turn++,
        }
        console.log(spell(job), JSON.stringify(await kill(lane, job)), (performance.now() - t) | 0)
      }
    t = performance.now()
    const job: Kill = {
      stage: stage.name,
      by: 'tongs',
      at: { is: 'syscall', name: 'pwrite64', nth: 30 },
      turn: turn++,
    }
    console.log(spell(job), JSON.stringify(await kill(lane, job)), (performance.now() - t) | 0)
    t = performance.now()
    const job2: Kill = { stage: stage.name, by: 'library', at: { is: 'time', ms: 15 }, turn: turn++ }
    console.log(spell(job2), JSON.stringify(await kill(lane, job2)), (performance.now() - t) | 0)
  }
  lane.world.remove()
})
