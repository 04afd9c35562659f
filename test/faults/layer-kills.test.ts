import { expect, it } from 'vitest'
import { SEED } from '../harness/faults/repeat.ts'
import { killLayers } from '../harness/layers/kill-layers.ts'
import { LAYER_STAGES } from '../harness/layers/layer-world.ts'

const FILE = 'test/faults/layer-kills.test.ts'
const KILLS = 24
const TIMEOUT_MS = 900_000

it(
  `after each of ${KILLS} kills a command on a layer has landed whole or not at all`,
  { timeout: TIMEOUT_MS },
  async () => {
    const { broken, kills, byStage } = await killLayers(KILLS, SEED, FILE)
    expect(broken).toEqual([])
    expect(kills).toBeGreaterThanOrEqual(KILLS * 0.9)
    expect(Object.keys(byStage).toSorted()).toEqual(LAYER_STAGES.map(({ name }) => name).toSorted())
  },
)
