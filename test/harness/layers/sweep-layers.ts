import * as fs from 'node:fs'
import { join } from 'node:path'
import type { Runtime } from '../../../src/runtime/create-runtime.ts'
import { withTrouble } from '../faults/failing.ts'
import { liveUntil } from '../faults/mortal.ts'
import { countCalls } from '../faults/sweep/call-key.ts'
import { FOLLOWED_EVERY, isChosen, judge, listErrors, numberOf, untilMet } from '../faults/sweep/trials.ts'
import type { Choice, Outcome, Swept, SweptError } from '../faults/sweep/trials.ts'
import type { Acknowledged } from '../faults/world/acknowledged.ts'
import { isReading } from '../faults/world/watched-files.ts'
import type { Step } from '../faults/world/watching.ts'
import { copyAll } from '../faults/world/world.ts'
import type { World } from '../faults/world/world.ts'
import { playLayerStage } from './layer-acts.ts'
import { checkLayerLaws } from './layer-laws.ts'
import type { LayerInspection } from './layer-laws.ts'
import { beginStage, endOwners, LAYER_STAGES, makeLayerWorld, openLayerWorld } from './layer-world.ts'
import type { LayerStage, LayerWorld } from './layer-world.ts'
import { NARROW } from './work.ts'

/** What the operations on layers begin with, beside those on files. */
const PREFIX = 'layer: '

/** Prepares the sweep of an operation on a layer. */
export async function sweepLayers(operation: string, kind: 'deaths' | 'errors'): Promise<Swept> {
  const stage = LAYER_STAGES.find(({ name }) => `${PREFIX}${name}` === operation)
  if (stage === undefined) throw new Error(`there is no operation ${operation}`)
  // The dead hold their files open, so that their disk could not be put back.
  const layered = await makeLayerWorld(NARROW, kind === 'deaths' || stage.isCopied ? 'folder' : 'disk')
  const { steps } = await dieAt(layered, stage, Infinity)
  const own = kind === 'deaths' || stage.name !== 'ask' ? 0 : await findOwn(layered, steps)
  const errors = listErrors(steps).filter(({ step }) => step > own)
  return {
    steps,
    trials: kind === 'deaths' ? steps.length : errors.length,
    play: (choice) =>
      kind === 'deaths' ? die(layered, stage, choice) : fail({ layered, stage, steps, errors }, choice),
    remove: layered.world.remove,
  }
}

/** After how many of its calls a command that asks does something else than one that lands, whose errors are swept. */
async function findOwn(layered: LayerWorld, asking: readonly Step[]): Promise<number> {
  const stage = LAYER_STAGES.find(({ name }) => name === 'run')
  if (stage === undefined) throw new Error('there is no command that lands')
  const { steps } = await dieAt(layered, stage, Infinity)
  const other = steps.map(countCalls())
  const differing = asking.map(countCalls()).findIndex((call, at) => call !== other[at])
  return differing === -1 ? asking.length : differing
}

const approvalOf = ({ name }: LayerStage): 'later' | 'once' => (name === 'ask' ? 'later' : 'once')
const choiceAt = (step: number): 'resume' | 'discard' => (step % 2 === 0 ? 'resume' : 'discard')

interface LayerLane {
  readonly layered: LayerWorld
  readonly stage: LayerStage
  readonly steps: readonly Step[]
  readonly errors: readonly SweptError[]
}

async function* fail({ layered, stage, steps, errors }: LayerLane, choice: Choice): AsyncGenerator<Outcome> {
  for (const [at, meeting] of errors.entries()) {
    const { fault } = meeting
    if (!isChosen(choice, fault, numberOf(fault), steps[meeting.step - 1])) continue
    const { hit, acknowledged } = await untilMet(() => meetOnLayer(layered, stage, meeting))
    const isForbidden = meeting.trouble === 'EACCES'
    const isBrief = choice.fault === null && at % FOLLOWED_EVERY !== 0
    const broken =
      hit === null ? [] : await check(layered, stage, { acknowledged, isForbidden, isBrief }, meeting.step)
    yield { fault, call: hit?.name ?? null, ...judge(`at ${hit?.name} ${hit?.target}`, broken) }
  }
}

async function meetOnLayer(layered: LayerWorld, stage: LayerStage, meeting: SweptError) {
  const { world, work } = layered
  await beginStage(layered, stage)
  const acknowledged: Acknowledged[] = []
  const hit = await withTrouble(meeting, async () => {
    const runtime = await openLayerWorld(world, approvalOf(stage)).catch(() => null)
    if (runtime === null) return
    acknowledged.push(...(await playLayerStage(runtime, stage, work).catch(() => [])))
    await runtime.close().catch(() => undefined)
  })
  return { hit, acknowledged }
}

async function* die(layered: LayerWorld, stage: LayerStage, choice: Choice): AsyncGenerator<Outcome> {
  const { steps } = await dieAt(layered, stage, Infinity)
  let changes = 0
  let isChanged = true
  for (const [at, step] of steps.entries()) {
    const fault = `${at + 1}|death`
    // What only reads leaves what was there before.
    const isSame = !isChanged
    isChanged = !isReading(step.name)
    if (isSame && choice.fault === null) {
      yield { fault, call: step.name, broken: [], isSame: true }
      continue
    }
    if (!isChosen(choice, fault, changes++, step)) continue
    const { diedAt, acknowledged } = await dieAt(layered, stage, at + 1)
    const broken = diedAt === null ? [] : await check(layered, stage, { acknowledged }, at)
    yield { fault, call: diedAt?.name ?? null, ...judge(`died at ${diedAt?.name} ${diedAt?.target}`, broken) }
  }
}

async function check(
  layered: LayerWorld,
  stage: LayerStage,
  known: Pick<LayerInspection, 'acknowledged' | 'isForbidden' | 'isBrief'>,
  step: number,
): Promise<readonly string[]> {
  const inspection = { stage: stage.name, ...known, choice: choiceAt(step) }
  return checkLayerLaws(layered, inspection).catch((error: unknown) => [`it cannot go on: ${String(error)}`])
}

/** Plays a stage until one of its calls, and leaves the world as it was then. */
async function dieAt(layered: LayerWorld, stage: LayerStage, number: number) {
  const { world, work } = layered
  await beginStage(layered, stage)
  const steps: Step[] = []
  const acknowledged: Acknowledged[] = []
  const saved = join(world.top, 'state-at-death')
  fs.rmSync(saved, { recursive: true, force: true })
  let runtime: Runtime | null = null
  const { diedAt } = await liveUntil(
    (step, at) => {
      steps.push(step)
      return at === number
    },
    () => saveState(world, saved),
    async () => {
      runtime = await openLayerWorld(world, approvalOf(stage))
      acknowledged.push(...(await playLayerStage(runtime, stage, work)))
      await runtime.close()
    },
    {
      reach: 'all',
      close: async () => (runtime as Runtime | null)?.close().catch(() => undefined),
    },
  )
  if (diedAt !== null) putStateBack(world, saved)
  return { steps, diedAt, acknowledged: diedAt === null ? acknowledged : [] }
}

const LAYERS = 'layers'

/** Keeps everything but the layers, whose files nobody changes after a death. */
function saveState({ stateDir }: World, saved: string): void {
  fs.mkdirSync(saved)
  for (const name of fs.existsSync(stateDir) ? fs.readdirSync(stateDir) : [])
    if (name !== LAYERS) copyAll(join(stateDir, name), join(saved, name))
}

function putStateBack(world: World, saved: string): void {
  const { stateDir } = world
  for (const name of fs.existsSync(stateDir) ? fs.readdirSync(stateDir) : [])
    if (name !== LAYERS) fs.rmSync(join(stateDir, name), { recursive: true, force: true })
  for (const name of fs.readdirSync(saved)) copyAll(join(saved, name), join(stateDir, name))
  endOwners(world)
}
