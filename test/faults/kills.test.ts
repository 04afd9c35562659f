import { expect, it } from 'vitest'
import { makeLane, kill } from '../harness/faults/kills.ts'
import { killMany } from '../harness/faults/kill-many.ts'
import { NAIVE } from '../harness/faults/naive.ts'
import { repeated, SEED } from '../harness/faults/repeat.ts'
import { roundsOf, someOf } from '../harness/long-run.ts'
import { STAGES } from '../harness/faults/world/stages.ts'

const FILE = 'test/faults/kills.test.ts'
/** The stages in which processes are killed, others in every run. */
const KILLED = someOf(STAGES, 4)
/** Every stage twice; or enough for every way of killing in every stage, and for every command after it. */
const KILLS = roundsOf(2 * KILLED.length, 90)
const TIMEOUT_MS = 1_800_000

it(
  `NFR-REL-04: after each of ${KILLS} kills what was acknowledged is kept, and nothing runs twice`,
  { timeout: TIMEOUT_MS },
  async () => {
    const { broken, kills, byStage } = await killMany(KILLS, SEED, FILE, KILLED)
    expect(broken).toEqual([])
    // One that is repeated is not counted, and may come too late this time.
    if (repeated('kill') !== null) return
    expect(kills).toBeGreaterThanOrEqual(KILLS)
    expect(Object.keys(byStage).toSorted()).toEqual(KILLED.map(({ name }) => name).toSorted())
  },
)

it(
  'finds a writer that changes files in place and records it afterwards',
  { timeout: TIMEOUT_MS },
  async () => {
    const lane = await makeLane([NAIVE], ['library'])
    const found: string[] = []
    for (let number = 1; number < 60 && found.length === 0; number += 3) {
      const { broken } = await kill(lane, {
        stage: NAIVE.name,
        by: 'library',
        at: { is: 'step', number },
        turn: 1,
      })
      found.push(...broken)
    }
    lane.world.remove()
    expect(found.join('\n')).toContain('before or after')
  },
)
