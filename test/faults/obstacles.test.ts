import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { layStage, learnGolden } from '../harness/faults/world/golden.ts'
import { checkLaws } from '../harness/faults/world/laws.ts'
import {
  CHANGED_FILES,
  dieAtObstacle,
  GIVING_UP,
  LASTING_ERRORS,
  meetObstacle,
  systemError,
} from '../harness/faults/obstacle.ts'
import { openWorld } from '../harness/faults/world/open-world.ts'
import { describeBroken, isWanted, SEED } from '../harness/faults/repeat.ts'
import { isThorough, roundsOf, someOf } from '../harness/long-run.ts'
import { LIBRARY_CALLS, SESSION } from '../harness/faults/world/script.ts'
import type { Stage } from '../harness/faults/world/stage.ts'
import { findStage } from '../harness/faults/world/stages.ts'
import { watchSteps } from '../harness/faults/world/steps.ts'
import { compareTrees, readTree } from '../harness/faults/world/tree.ts'
import { makeWorld } from '../harness/faults/world/world.ts'

const FILE = 'test/faults/obstacles.test.ts'
const TIMEOUT_MS = 600_000
const isLong = process.env['TONGS_LONG'] === '1'
const world = makeWorld()
afterAll(world.remove)
const golden = await learnGolden(world, LIBRARY_CALLS)
beforeEach(() => world.restore('files'))

const STAGES = ['a first batch', 'undo', 'redo', 'finishing a commit', 'finishing an undo', 'recovery'].map(
  findStage,
)

/** So many obstacles in each stage, others in every run. */
const SHORT_OBSTACLES = 2

/** Every second file with one error each, the others in the next stage; all files with all errors in the long run. */
function obstaclesIn(stage: Stage) {
  return CHANGED_FILES.flatMap((file, index) => {
    const turn = index + STAGES.indexOf(stage)
    if (!isLong && turn % 2 !== 0) return []
    const first = Math.floor(turn / 2) % LASTING_ERRORS.length
    return LASTING_ERRORS.filter((_, at) => isLong || at === first).map((error) => ({ file, error }))
  })
}

async function meetAll(stage: Stage, most: number): Promise<readonly string[]> {
  await layStage(world, stage, LIBRARY_CALLS)
  const broken: string[] = []
  for (const obstacle of someOf(obstaclesIn(stage), most)) {
    const fault = `obstacle|${stage.name}|${obstacle.file}|${obstacle.error}`
    if (!isWanted(fault)) continue
    world.restore(stage.name)
    const found = await meetObstacle(world, stage, LIBRARY_CALLS, golden, obstacle)
    broken.push(...describeBroken(fault, FILE, found))
  }
  return broken
}

describe('a file that can never be replaced, which no check could foresee', () => {
  // Other stages in every run.
  it.each(someOf(STAGES, 3))(
    'R-CHK-RT-8: whichever file it is, $name ends with all files as before or as after, and nothing in doubt',
    { timeout: TIMEOUT_MS },
    async (stage) => {
      expect(await meetAll(stage, SHORT_OBSTACLES)).toEqual([])
    },
  )

  it('finds a writer that leaves a change half in place', { timeout: TIMEOUT_MS }, async () => {
    expect((await meetAll(GIVING_UP, Infinity)).join('\n')).toContain('half in place')
  })

  it.each(someOf(['a first batch', 'undo', 'finishing a commit'].map(findStage), 1))(
    'R-CHK-RT-7: dying at any step of $name, roll-back included, is recovered from',
    { timeout: TIMEOUT_MS },
    async (stage) => {
      await layStage(world, stage, LIBRARY_CALLS)
      const broken: string[] = []
      let deaths = 0
      const obstacle = { file: 'odd.txt', error: 'EPERM' }
      const alive = { obstacle, dieAt: Infinity, isGone: true }
      const { blockedAt } = await dieAtObstacle(world, stage, LIBRARY_CALLS, golden, alive)
      // Dying before the obstacle is met is tried elsewhere.
      const every = roundsOf(17, 5)
      for (let dieAt = isLong ? 1 : blockedAt + (isThorough ? 0 : SEED % 5); ; dieAt += isLong ? 1 : every) {
        const fault = `obstacle-death|${stage.name}|${dieAt}`
        world.restore(stage.name)
        const isGone = dieAt % 2 === 0
        const { diedAt, broken: found } = await dieAtObstacle(world, stage, LIBRARY_CALLS, golden, {
          obstacle,
          dieAt,
          isGone,
        })
        const where = diedAt === null ? 'alive' : `died at ${diedAt.name} ${diedAt.target}`
        broken.push(
          ...describeBroken(
            fault,
            FILE,
            found.map((law) => `${where}: ${law}`),
          ),
        )
        if (diedAt === null) break
        deaths++
      }
      expect(broken).toEqual([])
      expect(deaths).toBeGreaterThan(roundsOf(1, 5))
    },
  )
})

describe('a folder that lets nothing be replaced any more, halfway through', () => {
  /** Lets the first file be put in place, and no name be changed afterwards. */
  async function halfway(body: () => Promise<void>): Promise<void> {
    let renames = 0
    await watchSteps(
      (step) =>
        step.name === 'renameSync' && step.target.includes('.tongs-') && ++renames > 1
          ? { error: systemError('EACCES', step) }
          : null,
      body,
    )
  }

  it('is said, and the change is taken back by the first command that can', async () => {
    const runtime = await openWorld(world, 'once', { 'tools.on_execution_error': 'stop' })
    await halfway(async () => {
      const results = await runtime.run(LIBRARY_CALLS, { session: SESSION })
      const patch = results.find(({ name }) => name === 'apply_patch')
      expect(patch).toMatchObject({
        ok: false,
        error: { code: 'in_doubt', message: expect.stringContaining('is being taken back') },
        execution: { state: 'COMPLETED' },
      })
      const [listed] = await runtime.recover({ session: SESSION })
      expect(listed?.calls).toMatchObject([{ name: 'roll-back', status: 'in_doubt' }])
    })
    await runtime.close()
    expect(compareTrees(golden[0] ?? new Map(), readTree(world.root))).not.toEqual([])
    const after = await openWorld(world)
    await after.ready()
    await after.close()
    expect(compareTrees(golden[0] ?? new Map(), readTree(world.root))).toEqual([])
    const found = await checkLaws(world, { golden, acknowledged: [], choice: 'resume', again: LIBRARY_CALLS })
    expect(found).toEqual([])
  })
})
