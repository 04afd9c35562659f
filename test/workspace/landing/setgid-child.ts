import { join } from 'node:path'
import { createRuntime } from '../../../src/runtime/create-runtime.ts'

/** Changes and makes files in a setgid folder, and prints which calls went well. */
const [top = ''] = process.argv.slice(2)
const runtime = await createRuntime({
  root: join(top, 'root'),
  stateDir: join(top, 'state'),
  approve: (asked) => asked.map(() => 'once' as const),
})
const write = (id: string, path: string) => ({ id, name: 'write_file', args: { path, content: 'new\n' } })
const results = await runtime.run([
  { id: 'r', name: 'read_file', args: { path: 'shared/theirs' } },
  write('a', 'shared/theirs'),
  write('b', 'shared/new'),
  write('c', 'shared/in/new'),
])
await runtime.close()
process.stdout.write(JSON.stringify(results.map(({ ok }) => ok)))
