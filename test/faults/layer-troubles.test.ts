import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { createRuntime } from '../../src/runtime/create-runtime.ts'
import { run as runProcess } from '../harness/faults/command.ts'
import { DISK_TROUBLES, withTrouble } from '../harness/faults/failing.ts'
import type { Trouble } from '../harness/faults/failing.ts'
import { describeBroken, isWanted, SEED } from '../harness/faults/repeat.ts'
import { roundsOf } from '../harness/long-run.ts'
import { seeded, spread } from '../harness/faults/world/random.ts'
import { watchSteps } from '../harness/faults/world/steps.ts'
import { commandOf } from '../harness/layers/kill-layers.ts'
import { playLayerStage } from '../harness/layers/layer-acts.ts'
import { checkLayerLaws } from '../harness/layers/layer-laws.ts'
import { LAYER_STAGES, layLayerStage, makeLayerWorld, openLayerWorld } from '../harness/layers/layer-world.ts'
import type { LayerStage } from '../harness/layers/layer-world.ts'
import { LOOK, WIDE } from '../harness/layers/work.ts'

const FILE = 'test/faults/layer-troubles.test.ts'
const TIMEOUT_MS = 6 * 3_600_000
const isLong = process.env['TONGS_LONG'] === '1'
/** Troubles for each stage; the long run tries every one at every step. */
const TRIES = roundsOf(1, 4)

const layered = await makeLayerWorld()
const { world } = layered
afterAll(world.remove)

interface Meeting {
  readonly step: number
  readonly trouble: Trouble
  readonly isLasting: boolean
}

async function meet(stage: LayerStage, { step, trouble, isLasting }: Meeting) {
  await layLayerStage(world, stage)
  const hit = await withTrouble({ step, trouble, isLasting }, async () => {
    const runtime = await openLayerWorld(world, stage.name === 'ask' ? 'later' : 'once').catch(() => null)
    if (runtime === null) return
    await playLayerStage(runtime, stage).catch(() => undefined)
    await runtime.close().catch(() => undefined)
  })
  const choice = step % 2 === 0 ? 'resume' : 'discard'
  const broken = await checkLayerLaws(layered, { stage: stage.name, acknowledged: [], choice })
  return { hit, broken }
}

async function countSteps(stage: LayerStage): Promise<number> {
  await layLayerStage(world, stage)
  let steps = 0
  await watchSteps(
    () => {
      steps++
      return null
    },
    async () => {
      const runtime = await openLayerWorld(world, stage.name === 'ask' ? 'later' : 'once')
      await playLayerStage(runtime, stage)
      await runtime.close()
    },
  )
  return steps
}

describe('a disk that is full, broken or read-only while a command lands', () => {
  it.each(LAYER_STAGES)(
    '$name: it has landed whole or not at all',
    { timeout: TIMEOUT_MS },
    async (stage) => {
      const steps = await countSteps(stage)
      const all = Array.from({ length: steps }, (_, at) => at + 1).flatMap((step) =>
        DISK_TROUBLES.flatMap((trouble) => [false, true].map((isLasting) => ({ step, trouble, isLasting }))),
      )
      const broken: string[] = []
      for (const meeting of isLong ? all : spread(all, TRIES, seeded(SEED + stage.name.length))) {
        const { step, trouble, isLasting } = meeting
        const fault = `layer-trouble|${stage.name}|${step}|${trouble}|${isLasting ? 'lasting' : 'once'}`
        if (!isWanted(fault)) continue
        const { hit, broken: found } = await meet(stage, meeting)
        broken.push(
          ...describeBroken(
            fault,
            FILE,
            found.map((law) => `at ${hit?.name} ${hit?.target}: ${law}`),
          ),
        )
      }
      expect(broken).toEqual([])
    },
  )

  it('finds a landing that leaves out a step', { timeout: TIMEOUT_MS }, async () => {
    const [stage] = LAYER_STAGES
    if (stage === undefined) throw new Error('no stage')
    await layLayerStage(world, stage)
    const { argv, env, stdin } = commandOf(world, stage)
    const [node = '', ...rest] = argv
    const bug = new URL('../harness/layers/skip-rename.ts', import.meta.url).href
    await runProcess({ argv: [node, '--import', bug, ...rest], stdin, env: { ...env, FAULTS_SKIP: '20' } })
    const broken = await checkLayerLaws(layered, { stage: 'run', acknowledged: [], choice: 'resume' })
    expect(broken.join('\n')).toContain('before or after')
  })
})

describe('a journal that cannot be written to any more when a command has ended', () => {
  it.each([
    ['what is to be asked about', 'edits'],
    ['what lands unasked', 'auto'],
  ] as const)(
    '%s: the next command of the same process removes its layer',
    { timeout: TIMEOUT_MS },
    async (_what, preset) => {
      const [stage] = LAYER_STAGES
      if (stage === undefined) throw new Error('no stage')
      await layLayerStage(world, stage)
      const { root, stateDir } = world
      const approve = (requests: readonly unknown[]) => requests.map(() => 'once' as const)
      const runtime = await createRuntime({ root, stateDir, preset, approve })
      const place = join(stateDir, 'layers')
      const hasRun = (): boolean =>
        existsSync(place) && readdirSync(place).some((name) => existsSync(join(place, name, '0/upper/made')))
      const full = Object.assign(new Error('full'), { code: 'ERR_SQLITE_ERROR', errcode: 13 })
      try {
        await watchSteps(
          ({ name }) => (/^(run|exec)$/.test(name) && hasRun() ? { error: full } : null),
          () => expect(runtime.run(WIDE.calls, { session: 's' })).rejects.toThrow('full'),
        )
        expect(readdirSync(place)).toHaveLength(1)
        await runtime.run(LOOK, { session: 'another' })
        expect(readdirSync(place)).toEqual([])
      } finally {
        await runtime.close()
      }
    },
  )
})
