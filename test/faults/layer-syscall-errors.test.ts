import { afterAll, expect, it } from 'vitest'
import { describeBroken, isWanted, SEED } from '../harness/faults/repeat.ts'
import { inLanes } from '../harness/faults/world/lanes.ts'
import { seeded, spread } from '../harness/faults/world/random.ts'
import { failLayer, findLayerErrors } from '../harness/layers/layer-errors.ts'
import type { LayerError } from '../harness/layers/layer-errors.ts'
import { LAYER_STAGES, makeLayerWorld } from '../harness/layers/layer-world.ts'
import { shuffled } from '../harness/long-run.ts'
import { say } from '../harness/say.ts'

const FILE = 'test/faults/layer-syscall-errors.test.ts'
const isLong = process.env['TONGS_LONG'] === '1'
const TELL_EVERY = 50
const TIMEOUT_MS = 12 * 3_600_000
/** How many errors the long run tries; all if this does not say. */
const MOST = Number(process.env['FAULTS_ERRORS'] ?? Infinity)

/** Tried on every change: each in the middle of what it stops. */
const SAMPLE: readonly LayerError[] = [
  { stage: 'run', name: 'link', nth: 8, error: 'ENOSPC', isLasting: true },
  { stage: 'run', name: 'rename', nth: 24, error: 'EXDEV', isLasting: true },
  { stage: 'approve', name: 'rename', nth: 6, error: 'EIO', isLasting: false },
  { stage: 'undo', name: 'rename', nth: 9, error: 'EROFS', isLasting: true },
  { stage: 'redo', name: 'mkdir', nth: 2, error: 'ENOSPC', isLasting: false },
  { stage: 'recover', name: 'rename', nth: 4, error: 'EBUSY', isLasting: false },
]

const lanes = [await makeLayerWorld(), ...(isLong ? [await makeLayerWorld()] : [])]
afterAll(() => {
  for (const { world } of lanes) world.remove()
})

const spell = ({ stage, name, nth, error, isLasting }: LayerError): string =>
  `layer-syscall|${stage}|${name}#${nth}|${error}|${isLasting ? 'lasting' : 'once'}`

function count(met: Record<string, number>, { stage, error, isLasting }: LayerError): void {
  for (const key of [stage, error, isLasting ? 'lasting' : 'once']) met[key] = (met[key] ?? 0) + 1
}

async function chooseErrors(): Promise<readonly LayerError[]> {
  const [first] = lanes
  if (!isLong || first === undefined) return SAMPLE
  const all: LayerError[] = []
  for (const stage of LAYER_STAGES) all.push(...(await findLayerErrors(first.world, stage)))
  say(`${all.length} errors can be met`)
  const random = seeded(SEED)
  const chosen = spread(all, Math.min(MOST, all.length), random)
  // Mixed, so that a run that is ended early has met every stage.
  return shuffled(chosen, (limit) => Math.floor(random() * limit))
}

it(
  'a system call that fails while a command lands, is undone or redone, or an interrupted landing is finished, leaves all of it or nothing, and what is said is true',
  { timeout: TIMEOUT_MS },
  async () => {
    const errors = (await chooseErrors()).filter((error) => isWanted(spell(error)))
    const broken: string[] = []
    const missed: string[] = []
    const met: Record<string, number> = {}
    let tried = 0
    await inLanes(lanes, errors, async (lane, error) => {
      const { hit, broken: found } = await failLayer(lane, error)
      if (hit === null) missed.push(spell(error))
      else count(met, error)
      const described = describeBroken(
        spell(error),
        FILE,
        found.map((law) => `${hit}: ${law}`),
      )
      broken.push(...described)
      // A long run tells at once.
      for (const text of described) say(text)
      tried++
      if (isLong && tried % TELL_EVERY === 0)
        say(`${tried} of ${errors.length} tried, ${JSON.stringify(met)}`)
      return 'more'
    })
    if (isLong) say(`${errors.length - missed.length} of ${errors.length} errors met, ${JSON.stringify(met)}`)
    expect(broken).toEqual([])
    expect(missed.length).toBeLessThan(isLong ? errors.length / 2 : 1)
  },
)
