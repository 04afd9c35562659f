import * as fs from 'node:fs'
import { basename, join } from 'node:path'
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest'
import { layStage, learnGolden } from '../harness/faults/world/golden.ts'
import { liveThrough } from '../harness/faults/life.ts'
import { openWorld } from '../harness/faults/world/open-world.ts'
import { LIBRARY_CALLS, SESSION } from '../harness/faults/world/script.ts'
import { findStage } from '../harness/faults/world/stages.ts'
import { unwatched } from '../harness/faults/world/steps.ts'
import type { Step } from '../harness/faults/world/steps.ts'
import { readTree } from '../harness/faults/world/tree.ts'
import { makeWorld } from '../harness/faults/world/world.ts'

const world = makeWorld()
afterAll(world.remove)
await learnGolden(world, LIBRARY_CALLS)
beforeEach(() => world.restore('files'))
afterEach(() => {
  delete process.env['TONGS_NATIVE']
})

const THEIRS = 'saved by someone else in the last instant\n'
/** What an early commit of the batch edits, and what a later one removes, each with its call. */
const VICTIMS = [
  ['run.sh', 'apply_patch'],
  ['keep/gone.txt', 'tidy'],
] as const

const leftovers = (): readonly string[] =>
  [...readTree(world.root).keys()].filter((name) => name.includes('.tongs-'))

/** Dies a few steps after another program saved a file at the very moment in which it was to change. */
async function dieAfterSave(victim: string, stepsLater: number): Promise<void> {
  const path = join(world.root, victim)
  const stage = findStage('a first batch')
  await layStage(world, stage, LIBRARY_CALLS)
  let left = Number.POSITIVE_INFINITY
  const isFatal = ({ name, target }: Step): boolean => {
    if (left !== Number.POSITIVE_INFINITY) return left-- === 0
    const isVictims = target.split(' ').some((one) => one.endsWith(`/${basename(victim)}`))
    if (!isVictims || (name !== 'renameSync' && name !== 'unlinkSync')) return false
    unwatched(() => {
      fs.writeFileSync(`${path}.swp`, THEIRS)
      fs.renameSync(`${path}.swp`, path)
    })
    left = stepsLater
    return false
  }
  const { diedAt } = await liveThrough(world, stage, LIBRARY_CALLS, isFatal)
  expect(diedAt).not.toBeNull()
}

async function recoverNow() {
  const runtime = await openWorld(world)
  try {
    await runtime.ready()
    return (await runtime.recover({ session: SESSION })).flatMap((batch) => batch.calls)
  } finally {
    await runtime.close()
  }
}

describe.each(VICTIMS)(
  'a process that dies after it replaced what was saved just before (%s)',
  (victim, call) => {
    it.each([0, 1, 2, 3])(
      'leaves that to be given back by the next one, %i steps later',
      async (stepsLater) => {
        await dieAfterSave(victim, stepsLater)
        const calls = await recoverNow()
        expect(fs.readFileSync(join(world.root, victim), 'utf8')).toBe(THEIRS)
        expect(leftovers()).toEqual([])
        const doubtful = calls.find(({ status }) => status === 'in_doubt')
        expect(doubtful).toMatchObject({ name: call, evidence: expect.stringContaining(victim) })
      },
    )

    it('leaves it to the next one also if that has no native code', async () => {
      await dieAfterSave(victim, 0)
      process.env['TONGS_NATIVE'] = 'off'
      await recoverNow()
      expect(fs.readFileSync(join(world.root, victim), 'utf8')).toBe(THEIRS)
      expect(leftovers()).toEqual([])
    })

    it('would have lost it without native code', async () => {
      process.env['TONGS_NATIVE'] = 'off'
      await dieAfterSave(victim, 0)
      await recoverNow()
      const path = join(world.root, victim)
      expect(fs.existsSync(path) ? fs.readFileSync(path, 'utf8') : null).not.toBe(THEIRS)
    })
  },
)
