import { afterAll, describe, expect, it } from 'vitest'
import { checkLaws, openWorld } from '../harness/faults/laws.ts'
import { LIBRARY_CALLS } from '../harness/faults/script.ts'
import { layStage, learnGolden, liveThrough, STAGES } from '../harness/faults/stages.ts'
import { makeWorld } from '../harness/faults/world.ts'

const world = makeWorld()
afterAll(world.remove)
const golden = await learnGolden(world, LIBRARY_CALLS)

describe('death at every step', () => {
  it.each(STAGES)('$name', { timeout: 120_000 }, async (stage) => {
    await layStage(world, stage, LIBRARY_CALLS)
    const t0 = performance.now()
    let n = 0
    const bad: string[] = []
    for (;;) {
      n++
      world.restore(stage.name)
      const life = await liveThrough(world, stage, LIBRARY_CALLS, (_step, number) => number === n)
      if (life.diedAt === null) break
      const broken = await checkLaws(world, {
        golden,
        acknowledged: life.acknowledged,
        choice: n % 2 === 0 ? 'resume' : 'discard',
        next: async (there) => {
          const runtime = await openWorld(there)
          await runtime.ready()
          await runtime.close()
        },
      })
      if (broken.length > 0) bad.push(`${n} ${life.diedAt.name} ${life.diedAt.target}: ${broken.join('; ')}`)
    }
    console.log(stage.name, n, performance.now() - t0)
    expect(bad).toEqual([])
  })
})
