import { afterAll, describe, expect, it } from 'vitest'
import { DISK_TROUBLES, troublesOf } from '../harness/faults/failing.ts'
import type { Meeting } from '../harness/faults/failing.ts'
import { layStage, learnGolden } from '../harness/faults/world/golden.ts'
import { liveThrough } from '../harness/faults/life.ts'
import { NAIVE } from '../harness/faults/naive.ts'
import { describeBroken, isWanted, SEED } from '../harness/faults/repeat.ts'
import { roundsOf, someOf } from '../harness/long-run.ts'
import { LIBRARY_CALLS } from '../harness/faults/world/script.ts'
import type { Stage } from '../harness/faults/world/stage.ts'
import { STAGES } from '../harness/faults/world/stages.ts'
import { meetTrouble } from '../harness/faults/troubles.ts'
import type { Step } from '../harness/faults/world/watching.ts'
import { makeWorld } from '../harness/faults/world/world.ts'

const FILE = 'test/faults/troubles.test.ts'
const TIMEOUT_MS = 600_000
const isLong = process.env['TONGS_LONG'] === '1'
const world = makeWorld()
afterAll(world.remove)
const golden = await learnGolden(world, LIBRARY_CALLS)

/** On every change one trouble is tried at so many steps, at others in every run; the long run tries each at each. */
const EVERY = roundsOf(20, 5)
const CONTROL_EVERY = 5

/** The troubles to meet a step with. */
function meetingsAt({ name }: Step, index: number, every: number): readonly Meeting[] {
  const step = index + 1
  const first = every === CONTROL_EVERY ? 0 : SEED
  const all = [false, true].flatMap((isLasting) =>
    DISK_TROUBLES.map((trouble) => ({ step, trouble, isLasting })),
  )
  const chosen = isLong ? all : all.filter((_, at) => at * every === (step + first) % (all.length * every))
  // What cannot meet this step would pass without being noticed, unless it lasts until another.
  return chosen.filter(({ trouble, isLasting }) => isLasting || troublesOf({ name }).includes(trouble))
}

async function meetEverywhere(
  stage: Stage,
  every = EVERY,
): Promise<{ readonly hits: number; readonly broken: readonly string[] }> {
  await layStage(world, stage, LIBRARY_CALLS)
  const steps: Step[] = []
  await liveThrough(world, stage, LIBRARY_CALLS, (step) => steps.push(step) === 0)
  const broken: string[] = []
  let hits = 0
  for (const meeting of steps.flatMap((step, index) => meetingsAt(step, index, every))) {
    const fault = `trouble|${stage.name}|${meeting.step}|${meeting.trouble}|${meeting.isLasting ? 'lasting' : 'once'}`
    if (!isWanted(fault)) continue
    world.restore(stage.name)
    const { hit, broken: found } = await meetTrouble(world, stage, LIBRARY_CALLS, golden, meeting)
    if (hit === null) continue
    hits++
    const where = `${meeting.trouble} at ${hit.name} ${hit.target}`
    broken.push(
      ...describeBroken(
        fault,
        FILE,
        found.map((law) => `${where}: ${law}`),
      ),
    )
  }
  return { hits, broken }
}

describe('a disk that is full, broken or read-only, and a process out of descriptors', () => {
  // Other stages in every run.
  it.each(someOf(STAGES, 4))(
    'R-CHK-RT-7: trouble at any step of $name leaves the files whole, is said clearly, and is over when it is over',
    { timeout: TIMEOUT_MS },
    async (stage) => {
      const { hits, broken } = await meetEverywhere(stage)
      expect(broken).toEqual([])
      expect(hits).toBeGreaterThan(roundsOf(0, 4))
    },
  )

  it('finds a writer that changes files in place', { timeout: TIMEOUT_MS }, async () => {
    const { broken } = await meetEverywhere(NAIVE, CONTROL_EVERY)
    expect(broken.join('\n')).toContain('neither before nor after')
  })
})
