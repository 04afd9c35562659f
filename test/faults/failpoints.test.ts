import { afterAll, describe, expect, it } from 'vitest'
import { layStage, learnGolden } from '../harness/faults/world/golden.ts'
import { checkLaws } from '../harness/faults/world/laws.ts'
import { recordEndings } from '../harness/faults/endings.ts'
import type { Ending } from '../harness/faults/endings.ts'
import { liveThrough } from '../harness/faults/life.ts'
import { NAIVE } from '../harness/faults/naive.ts'
import { describeBroken, isWanted, SEED } from '../harness/faults/repeat.ts'
import { roundsOf, someOf } from '../harness/long-run.ts'
import { LIBRARY_CALLS } from '../harness/faults/world/script.ts'
import { putBack } from '../harness/faults/world/snapshot.ts'
import type { Stage } from '../harness/faults/world/stage.ts'
import { STAGES } from '../harness/faults/world/stages.ts'
import { makeWorld } from '../harness/faults/world/world.ts'

const FILE = 'test/faults/failpoints.test.ts'
const isLong = process.env['TONGS_LONG'] === '1'
/** After so many deaths one is followed to the end: what is open is closed, and all is undone and done again. */
const FOLLOWED_EVERY = isLong ? 1 : 5
/** Of so many different endings one is looked at, others in every run. */
const SEEN_EVERY = roundsOf(5, 1)

const world = makeWorld()
afterAll(world.remove)
const golden = await learnGolden(world, LIBRARY_CALLS)

/** Lets a stage die at each of its steps, until it comes to its end alive, and checks every law after each death. */
async function dieEverywhere(
  stage: Stage,
  every = SEEN_EVERY,
): Promise<{ readonly deaths: number; readonly broken: readonly string[] }> {
  await layStage(world, stage, LIBRARY_CALLS)
  const broken: string[] = []
  let deaths = 0
  let checked = 0
  for await (const { step, diedAt, acknowledged } of isLong ? dieForReal(stage) : dieOnPaper(stage, every)) {
    const fault = `failpoint|${stage.name}|${step}`
    deaths = step - 1
    if (diedAt !== null && !isWanted(fault)) continue
    const choice = step % 2 === 0 ? 'resume' : 'discard'
    const isBrief = diedAt !== null && checked++ % FOLLOWED_EVERY !== 0
    const found = await checkLaws(world, { golden, acknowledged, choice, isBrief })
    const where = diedAt === null ? 'alive' : `died at ${diedAt.name} ${diedAt.target}`
    const laws = found.map((law) => `${where}: ${law}`)
    broken.push(...describeBroken(fault, FILE, laws))
  }
  return { deaths, broken }
}

/** Plays the stage once for each of its steps, up to there. */
async function* dieForReal(stage: Stage): AsyncGenerator<Ending> {
  for (let step = 1; ; step++) {
    world.restore(stage.name)
    const life = await liveThrough(world, stage, LIBRARY_CALLS, (_step, number) => number === step)
    yield { step, ...life }
    if (life.diedAt === null) return
  }
}

/** Plays the stage once, and leaves the world as it was at each of its steps, except where it was so before. */
async function* dieOnPaper(stage: Stage, every: number): AsyncGenerator<Ending> {
  world.restore(stage.name)
  const seen = new Set<string>()
  for (const { left, ...ending } of await recordEndings(world, stage, LIBRARY_CALLS)) {
    const key = JSON.stringify([left.key, ending.acknowledged])
    if (ending.diedAt !== null && seen.has(key)) continue
    seen.add(key)
    if (ending.diedAt !== null && (seen.size + SEED) % every !== 0) continue
    putBack(world, left)
    yield ending
  }
}

describe('a process that dies at any of its steps', () => {
  // Other stages in every run.
  it.each(someOf(STAGES, 4))(
    'R-CHK-RT-8: after dying at any step of $name the workspace is before or after each call, and the log verifies',
    async (stage) => {
      const { deaths, broken } = await dieEverywhere(stage)
      expect(broken).toEqual([])
      expect(deaths).toBeGreaterThan(15)
    },
  )

  it('finds a writer that changes files in place and records it afterwards', async () => {
    const { broken } = await dieEverywhere(NAIVE, 1)
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
