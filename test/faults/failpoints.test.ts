import { afterAll, describe, expect, it } from 'vitest'
import { layStage, learnGolden } from '../harness/faults/world/golden.ts'
import { checkLaws } from '../harness/faults/world/laws.ts'
import { liveThrough } from '../harness/faults/life.ts'
import { NAIVE } from '../harness/faults/naive.ts'
import { describeBroken, isWanted } from '../harness/faults/repeat.ts'
import { LIBRARY_CALLS } from '../harness/faults/world/script.ts'
import type { Stage } from '../harness/faults/world/stage.ts'
import { STAGES } from '../harness/faults/world/stages.ts'
import { makeWorld } from '../harness/faults/world/world.ts'

const FILE = 'test/faults/failpoints.test.ts'

const world = makeWorld()
afterAll(world.remove)
const golden = await learnGolden(world, LIBRARY_CALLS)

/** Lets a stage die at each of its steps in turn, until it comes to its end alive. */
async function dieEverywhere(
  stage: Stage,
): Promise<{ readonly deaths: number; readonly broken: readonly string[] }> {
  await layStage(world, stage, LIBRARY_CALLS)
  const broken: string[] = []
  for (let step = 1; ; step++) {
    const fault = `failpoint|${stage.name}|${step}`
    world.restore(stage.name)
    const { diedAt, acknowledged } = await liveThrough(
      world,
      stage,
      LIBRARY_CALLS,
      (_step, number) => number === step,
    )
    if (diedAt !== null && !isWanted(fault)) continue
    const choice = step % 2 === 0 ? 'resume' : 'discard'
    const found = await checkLaws(world, { golden, acknowledged, choice })
    const where = diedAt === null ? 'alive' : `died at ${diedAt.name} ${diedAt.target}`
    broken.push(
      ...describeBroken(
        fault,
        FILE,
        found.map((law) => `${where}: ${law}`),
      ),
    )
    if (diedAt === null) return { deaths: step - 1, broken }
  }
}

describe('a process that dies at any of its steps', () => {
  it.each(STAGES)(
    'R-CHK-RT-8: after dying at any step of $name the workspace is before or after each call, and the log verifies',
    async (stage) => {
      const { deaths, broken } = await dieEverywhere(stage)
      expect(broken).toEqual([])
      expect(deaths).toBeGreaterThan(15)
    },
  )

  it('finds a writer that changes files in place and records it afterwards', async () => {
    const { broken } = await dieEverywhere(NAIVE)
    expect(broken.filter((law) => law.startsWith('alive'))).toEqual([])
    expect(broken.join('\n')).toContain('before or after')
  })
})

it('the script makes, changes and removes files, and keeps modes, line endings and the byte order mark', () => {
  expect(golden).toHaveLength(5)
  const last = golden.at(-1)
  expect(last?.get('run.sh')).toBe('file 755 "#!/bin/sh\\necho two\\n"')
  expect(last?.get('deep/er/old.txt')).toBe('file 640 "newer\\nold\\n"')
  expect(last?.get('odd.txt')).toBe(`file 600 ${JSON.stringify('\u00ef\u00bb\u00bfone\r\nTWO\r\nno end')}`)
  expect(last?.get('log.txt')).toBe('file 644 "start\\nonce\\n"')
  expect(last?.get('new/one')).toMatch(/^folder/)
  expect(last?.has('keep/gone.txt')).toBe(false)
  expect(last?.get('keep/.hidden')).toBe(golden[0]?.get('keep/.hidden'))
})
