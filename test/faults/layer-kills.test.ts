import { expect, it } from 'vitest'
import { dying, run } from '../harness/faults/command.ts'
import { roundsOf, someOf } from '../harness/long-run.ts'
import { SEED } from '../harness/faults/repeat.ts'
import { killLayers } from '../harness/layers/kill-layers.ts'
import { checkLayerLaws } from '../harness/layers/layer-laws.ts'
import { LAYER_STAGES, layLayerStage, makeLayerWorld } from '../harness/layers/layer-world.ts'
import { LANDED_UNRECORDED, playedStage } from '../harness/layers/planted.ts'
import type { Planted } from '../harness/layers/planted.ts'

const FILE = 'test/faults/layer-kills.test.ts'
/** The stages in which processes are killed, others in every run. */
const KILLED = someOf(LAYER_STAGES, 3)
const KILLS = roundsOf(3, 24)
const TIMEOUT_MS = 900_000

it(
  `after each of ${KILLS} kills a command on a layer has landed whole or not at all`,
  { timeout: TIMEOUT_MS },
  async () => {
    const { broken, kills, byStage } = await killLayers(KILLS, SEED, FILE, KILLED)
    expect(broken).toEqual([])
    expect(kills).toBeGreaterThanOrEqual(KILLS * 0.9)
    expect(Object.keys(byStage).toSorted()).toEqual(KILLED.map(({ name }) => name).toSorted())
  },
)

/** Kills a landing when some of its files are in place, and checks the laws. */
async function killWhileLanding(planted: Planted | null): Promise<string> {
  const [stage] = LAYER_STAGES
  if (stage === undefined) throw new Error('no stage')
  const layered = await makeLayerWorld()
  try {
    await layLayerStage(layered.world, stage)
    const { signal } = await run(dying(playedStage(layered.world, stage.name, planted), 'linkSync#10'))
    expect(signal).toBe('SIGKILL')
    const laws = { stage: stage.name, acknowledged: [], choice: 'resume' } as const
    return (await checkLayerLaws(layered, laws)).join('\n')
  } finally {
    layered.world.remove()
  }
}

it('finds a landing that begins before it is on record', { timeout: TIMEOUT_MS }, async () => {
  expect(await killWhileLanding(null)).toBe('')
  expect(await killWhileLanding(LANDED_UNRECORDED)).toContain('before or after')
})
