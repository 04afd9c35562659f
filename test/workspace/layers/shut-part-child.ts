import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { createRuntime } from '../../../src/runtime/create-runtime.ts'
import { becomeOrdinary } from '../../harness/ordinary-user.ts'
import { PATIENCE_MS } from '../../harness/patience.ts'

/** Runs a command on a layer that cannot be written to once it has ended, and prints what came of it as JSON. */
const [top = ''] = process.argv.slice(2)
becomeOrdinary()
const [root, state] = [join(top, 'root'), join(top, 'state')]
for (const path of [root, join(root, 'live'), state]) mkdirSync(path, { mode: 0o700 })
writeFileSync(join(root, 'a'), 'a\n')
const runtime = await createRuntime({
  root,
  stateDir: state,
  config: { 'tools.shell.passthrough': ['live'] },
  approve: (asked) => asked.map(() => 'once' as const),
})
const line = 'echo more >> a; touch live/ready; until [ -e live/go ]; do sleep 0.01; done'
const running = runtime.run([{ id: 'c', name: 'run_shell', args: { cmd: ['sh', '-c', line] } }])
for (const giveUpAt = Date.now() + PATIENCE_MS; !existsSync(join(root, 'live/ready')); await pause(5))
  if (Date.now() > giveUpAt) throw new Error('the command never began')
const layers = join(state, 'layers')
const part = join(layers, readdirSync(layers).find((name) => !name.startsWith('.')) ?? '', '0')
chmodSync(part, 0o500)
writeFileSync(join(root, 'live/go'), '')
const [ran] = await running
await runtime.close()
// The next process sweeps what no call needs.
const next = await createRuntime({ root, stateDir: state })
await next.run([{ id: 'd', name: 'read_file', args: { path: 'a' } }])
await next.close()
const upper = join(part, 'upper/a')
const kept = existsSync(upper) ? readFileSync(upper, 'utf8') : null
if (existsSync(part)) chmodSync(part, 0o700)
process.stdout.write(JSON.stringify({ said: ran?.content, kept }))
