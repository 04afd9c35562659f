import { writeSync } from 'node:fs'
import type { Acknowledged } from './world/acknowledged.ts'
import { openWorld } from './world/open-world.ts'
import { LIBRARY_CALLS } from './world/script.ts'
import { findStage } from './world/stages.ts'
import { worldAt } from './world/world.ts'

const [top = '', name = ''] = process.argv.slice(2)
const stage = findStage(name)
const say = (value: unknown): void => void writeSync(1, `${JSON.stringify(value)}\n`)

say('ready')
const world = worldAt(top)
const runtime = await openWorld(world, stage.approve)
const tell = (told: readonly Acknowledged[]): void => {
  for (const acknowledged of told) say({ acknowledged })
}
await stage.act(runtime, LIBRARY_CALLS, tell, world)
await runtime.close()
say('done')
