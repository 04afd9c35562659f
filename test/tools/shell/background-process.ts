import { createRuntime } from '../../../src/runtime/create-runtime.ts'

/** Starts a command in the background, says its handle, and waits to be killed. */
const [root = '', stateDir = '', line = '', ...passthrough] = process.argv.slice(2)
const runtime = await createRuntime({
  root,
  stateDir,
  approve: (requests) => requests.map(() => 'once'),
  config: { 'tools.shell.passthrough': passthrough },
})
const args = { cmd: ['sh', '-c', line], background: true }
const [result] = await runtime.run([{ id: 'c1', name: 'run_shell', args }], { session: 's' })
process.stdout.write(`${JSON.stringify(result)}\n`)
setInterval(() => undefined, 1_000)
