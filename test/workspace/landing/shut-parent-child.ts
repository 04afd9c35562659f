import { chmodSync, existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { createRuntime } from '../../../src/runtime/create-runtime.ts'
import { becomeOrdinary } from '../../harness/ordinary-user.ts'

/** Removes or moves an empty folder from or into a folder that cannot be written, and prints what came of it as JSON. */
const [top = '', name = '', args = '{}', shut = ''] = process.argv.slice(2)
becomeOrdinary()
const root = join(top, 'root')
for (const path of ['root', 'root/shut', 'root/shut/empty', 'root/open', 'root/open/empty', 'state'])
  mkdirSync(join(top, path), { mode: 0o700 })
chmodSync(join(root, shut), 0o500)
const runtime = await createRuntime({
  root,
  stateDir: join(top, 'state'),
  approve: (asked) => asked.map(() => 'once' as const),
})
const [ran] = await runtime.run([{ id: 'c', name, args: JSON.parse(args) as unknown }])
const undone = await runtime.undo()
await runtime.close()
chmodSync(join(root, shut), 0o700)
const there = ['shut/empty', 'open/empty', 'shut/new', 'open/new'].filter((path) =>
  existsSync(join(root, path)),
)
process.stdout.write(JSON.stringify({ ok: ran?.ok, said: ran?.content, undone: undone.ok, there }))
