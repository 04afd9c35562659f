import { afterAll, expect, it } from 'vitest'
import { live } from '../harness/faults/lives/live.ts'
import { makeWorld } from '../harness/faults/world/world.ts'
import { HARDENING_SEED, roundsOf } from '../harness/long-run.ts'

const TIMEOUT_MS = 3_600_000
/** The first seed and how many: `500+100`. */
const [FIRST = HARDENING_SEED, COUNT = roundsOf(2, 20)] = (process.env['LIVES'] ?? '')
  .split('+')
  .flatMap((word) => (word === '' ? [] : [Number(word)]))

const world = makeWorld()
world.save('empty')
afterAll(world.remove)

it(
  'two sessions that write, undo, redo, crash and recover leave what a simple model says',
  { timeout: TIMEOUT_MS },
  async () => {
    const broken: string[] = []
    for (let seed = FIRST; seed < FIRST + COUNT; seed++) {
      world.restore('empty')
      const { faults, acts } = await live(world, seed)
      if (faults.length > 0) broken.push(`LIVES=${seed}+1: ${faults.join('; ')} after ${acts.join(', ')}`)
    }
    expect(broken).toEqual([])
  },
)

it('the same seed gives the same log', { timeout: TIMEOUT_MS }, async () => {
  const logs: string[] = []
  for (let time = 0; time < 2; time++) {
    world.restore('empty')
    logs.push((await live(world, FIRST)).log)
  }
  expect(logs[0]).toBe(logs[1])
})

it('finds a product that writes beside its log', { timeout: TIMEOUT_MS }, async () => {
  const found: string[] = []
  for (let seed = 0; seed < 20 && found.length === 0; seed++) {
    world.restore('empty')
    found.push(...(await live(world, seed, 'writes beside the log')).faults)
  }
  expect(found).not.toEqual([])
})
