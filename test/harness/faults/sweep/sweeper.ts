import { sweepLayers } from '../../layers/sweep-layers.ts'
import { NAIVE } from '../naive.ts'
import { OPERATIONS } from './operations.ts'
import { openSweep } from './trials.ts'

// Sweeps one operation: node --import watched.ts --import stepped-clock.ts --import quick-programs.ts sweeper.ts OPERATION deaths|errors SLICE/SLICES [~CALLS or FAULT]
const [name = '', kind = '', part = '0/1', wanted = '~'] = process.argv.slice(2)
const say = (value: unknown): void => void process.stdout.write(`${JSON.stringify(value)}\n`)
const [slice = 0, slices = 1] = part.split('/').map(Number)
const isFault = !wanted.startsWith('~')

const stage = [...OPERATIONS, NAIVE].find((one) => one.name === name)
const which = kind === 'deaths' ? 'deaths' : 'errors'
const swept = stage === undefined ? await sweepLayers(name, which) : await openSweep(stage, which)
say({ calls: swept.steps.map((step) => step.name), trials: swept.trials })
const choice = {
  slice,
  slices,
  at: new RegExp(isFault ? '' : wanted.slice(1)),
  fault: isFault ? wanted : null,
}
for await (const outcome of swept.play(choice)) say(outcome)
swept.remove()
// What a dead runtime left open must not keep the process; what was said has to be out before.
process.stdout.write('', () => process.exit(0))
