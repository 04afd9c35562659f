import { expect, it } from 'vitest'
import { roundsOf } from '../harness/long-run.ts'
import { SEED } from '../harness/faults/repeat.ts'
import { killTalks } from '../harness/faults/talks/talks.ts'

const FILE = 'test/faults/talk-kills.test.ts'
const KILLS = roundsOf(4, 10)
/** The planted bug is looked for where it is known to show. */
const CONTROL_SEED = 1

it(`after each of ${KILLS} kills of a conversation every call has one result, nothing ran twice, and it goes on`, async () => {
  const { kills, byStage, broken } = await killTalks(KILLS, SEED, FILE)
  expect(broken).toEqual([])
  expect(kills).toBeGreaterThanOrEqual(KILLS)
  expect(Object.keys(byStage).toSorted()).toEqual(['continue', 'recover', 'run'])
})

it('finds a product that runs interrupted commands again', async () => {
  const { broken } = await killTalks(4, CONTROL_SEED, FILE, 'runs again')
  expect(broken.join('\n')).toContain('ran twice')
})
