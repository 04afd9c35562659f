import { writeSync } from 'node:fs'
import { openWorld } from './laws.ts'
import { LIBRARY_CALLS } from './script.ts'
import { findStage } from './stages.ts'
import { worldAt } from './world.ts'

const [top = '', name = ''] = process.argv.slice(2)
const stage = findStage(name)
const say = (value: unknown): void => void writeSync(1, `${JSON.stringify(value)}\n`)

say('ready')
const runtime = await openWorld(worldAt(top), stage.approve)
await stage.act(runtime, LIBRARY_CALLS, (told) => {
  for (const acknowledged of told) say({ acknowledged })
})
await runtime.close()
say('done')
