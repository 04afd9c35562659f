import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { SESSION } from '../harness/faults/world/script.ts'
import { LAYER_STAGES, layLayerStage, makeLayerWorld, openLayerWorld } from '../harness/layers/layer-world.ts'
import type { Planted } from '../harness/layers/planted.ts'
import { playedStage, RECORD_BEFORE_SYNC } from '../harness/layers/planted.ts'
import { traceSyncs } from '../harness/layers/sync-order.ts'

const { world } = await makeLayerWorld()
afterAll(world.remove)

async function traceRun(planted: Planted | null) {
  const [stage] = LAYER_STAGES
  if (stage === undefined) throw new Error('no stage')
  await layLayerStage(world, stage)
  const order = await traceSyncs(world, playedStage(world, stage.name, planted))
  const contents = await findContents()
  return { ...order, contents, unsynced: contents.filter((path) => !order.isSynced(path)) }
}

/** Where the contents that landed lay on the layer, links and what was only moved aside. */
async function findContents(): Promise<readonly string[]> {
  const runtime = await openLayerWorld(world)
  const changes = [...runtime.log({ session: SESSION })].flatMap(({ entry }) =>
    entry.kind === 'settled' ? entry.changes : [],
  )
  await runtime.close()
  return changes.flatMap(({ after }) =>
    after?.kind === undefined && after?.held?.includes('/upper/') === true
      ? [join(world.stateDir, 'layers', after.held)]
      : [],
  )
}

it('contents on a layer are on the disk before the commit is recorded, and the commit before any name changes', async () => {
  const { contents, unsynced, isCommitSynced, named } = await traceRun(null)
  expect(contents.length).toBeGreaterThan(10)
  expect(named).toBeGreaterThan(contents.length)
  expect({ unsynced, isCommitSynced }).toEqual({ unsynced: [], isCommitSynced: true })
})

it('finds a record that is written before the contents are on the disk', async () => {
  const { contents, unsynced } = await traceRun(RECORD_BEFORE_SYNC)
  expect(unsynced).toEqual(contents)
})
