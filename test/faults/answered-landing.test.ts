import { afterAll, beforeAll, expect, it } from 'vitest'
import { dying, run } from '../harness/faults/command.ts'
import { SESSION } from '../harness/faults/world/script.ts'
import { compareFiles, describeFiles, withoutTimes } from '../harness/layers/describe-files.ts'
import { commandOf } from '../harness/layers/kill-layers.ts'
import { LAYER_STAGES, layLayerStage, makeLayerWorld, openLayerWorld } from '../harness/layers/layer-world.ts'
import type { LayerWorld } from '../harness/layers/layer-world.ts'

const TIMEOUT_MS = 600_000
/** Far more than one that approves a landing takes until its answer is on record. */
const MOST_STEPS = 60

let layered: LayerWorld
/** The first step worth a try; the same one fits every time. */
let firstStep = 10

beforeAll(async () => {
  layered = await makeLayerWorld()
}, TIMEOUT_MS)

afterAll(() => layered.world.remove())

/** Kills a process that approves a landing when its yes is on record and nothing else is yet. */
async function killAfterYes(): Promise<void> {
  const stage = LAYER_STAGES.find(({ name }) => name === 'approve')
  if (stage === undefined) throw new Error('no stage')
  for (let step = firstStep; step < MOST_STEPS; step++) {
    firstStep = step
    await layLayerStage(layered.world, stage)
    await run(dying(commandOf(layered.world, stage), step))
    const runtime = await openLayerWorld(layered.world)
    try {
      const last = [...runtime.log({ session: SESSION })].at(-1)
      if (last?.entry.kind === 'answered') return
    } finally {
      await runtime.close()
    }
  }
  throw new Error('no process died after its answer')
}

it.for([
  ['no to all', 'all', false],
  ['no by its id', 'id', false],
  ['yes by its id', 'id', true],
] as const)(
  'a landing whose process died after a yes waits, and %s is taken',
  { timeout: TIMEOUT_MS },
  async ([, which, isApproved]) => {
    await killAfterYes()
    const { world, before, after } = layered
    const runtime = await openLayerWorld(world)
    try {
      await runtime.ready()
      const [question] = await runtime.pending({ session: SESSION })
      const { results, faults } = await runtime.decide(which === 'all' ? 'all' : [question?.id ?? ''], {
        isApproved,
        session: SESSION,
      })
      expect(faults).toEqual([])
      expect(results.map(({ ok }) => ok)).toEqual([isApproved])
      expect(await runtime.pending({ session: SESSION })).toEqual([])
      const expected = withoutTimes(isApproved ? after : before)
      expect(compareFiles(expected, withoutTimes(describeFiles(world.root)))).toEqual([])
    } finally {
      await runtime.close()
    }
  },
)
