import { worldAt } from '../faults/world/world.ts'
import { playLayerStage } from './layer-acts.ts'
import { openLayerWorld } from './layer-world.ts'

// Plays a stage from the sources, into which a bug may have been planted: node layer-child.ts TOP STAGE
const [top = '', name = ''] = process.argv.slice(2)
const runtime = await openLayerWorld(worldAt(top))
await playLayerStage(runtime, { name })
await runtime.close()
