import { expect, it } from 'vitest'
import { SEED } from '../harness/faults/repeat.ts'
import { killLayers } from '../harness/layers/kill-layers.ts'
import { say } from '../harness/say.ts'

const FILE = 'test/faults/layer-kills.long.test.ts'
const KILLS = Number(process.env['FAULTS_KILLS'] ?? 2_000)
const TIMEOUT_MS = 6 * 3_600_000

it(
  `${KILLS} kills leave every command on a layer landed whole or not at all`,
  { timeout: TIMEOUT_MS },
  async () => {
    const { broken, ...covered } = await killLayers(KILLS, SEED, FILE)
    say(JSON.stringify(covered))
    expect(broken).toEqual([])
    expect(covered.kills).toBeGreaterThanOrEqual(KILLS * 0.9)
  },
)
