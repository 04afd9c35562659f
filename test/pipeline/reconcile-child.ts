import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createRuntime } from '../../src/runtime/create-runtime.ts'
import { chargeTool } from './reconcile-tool.ts'

/** Dies in the middle of a call that has already acted outside of this machine. */
const [, , top = ''] = process.argv
const charge = chargeTool({
  run: ({ idempotencyKey }) => {
    writeFileSync(join(top, 'charged'), idempotencyKey)
    process.kill(process.pid, 'SIGKILL')
    return { receipt: '' }
  },
})
const runtime = await createRuntime({
  root: join(top, 'root'),
  stateDir: join(top, 'state'),
  tools: [charge],
  approve: () => ['once'],
})
await runtime.run([{ id: 'c1', name: 'charge', args: {} }], { session: 's' })
