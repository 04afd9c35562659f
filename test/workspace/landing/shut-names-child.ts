import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createRuntime } from '../../../src/runtime/create-runtime.ts'
import { compareFiles, describeFiles } from '../../harness/layers/describe-files.ts'
import { becomeOrdinary } from '../../harness/ordinary-user.ts'

/** Lands a command that closes names to their owner, takes it back twice, and prints what differs each time as JSON. */
const [top = '', line = ''] = process.argv.slice(2)
becomeOrdinary()
const root = join(top, 'root')
for (const path of ['root', 'root/src', 'state']) mkdirSync(join(top, path), { mode: 0o700 })
for (const path of ['README', 'src/i']) writeFileSync(join(root, path), path)
chmodSync(join(root, 'README'), 0o644)
const before = describeFiles(root)
const runtime = await createRuntime({
  root,
  stateDir: join(top, 'state'),
  approve: (asked) => asked.map(() => 'once' as const),
})
const [ran] = await runtime.run([{ id: 'c', name: 'run_shell', args: { cmd: ['sh', '-c', line] } }])
const said: unknown[] = [ran?.ok === true ? null : ran?.content]
for (const word of ['undo', 'redo', 'undo'] as const) {
  const { message } = await runtime[word]()
  said.push(message, ...(word === 'undo' ? compareFiles(before, describeFiles(root)) : []))
}
await runtime.close()
process.stdout.write(JSON.stringify(said))
