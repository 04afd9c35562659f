import * as fs from 'node:fs'
import { join } from 'node:path'
import { createRuntime } from '../../../src/runtime/create-runtime.ts'
import { becomeOrdinary, NOBODY } from '../../harness/ordinary-user.ts'

/**
 * Removes and moves a folder of another user that lies in a sticky folder, where only its owner may, and prints what came
 * of it as JSON.
 */
const [top = ''] = process.argv.slice(2)
const root = join(top, 'root')
const state = join(top, 'state')
fs.mkdirSync(join(root, 'shared', 'theirs', 'in'), { recursive: true })
fs.mkdirSync(state, { mode: 0o700 })
fs.writeFileSync(join(root, 'shared', 'theirs', 'f.txt'), 'one\n')
fs.chmodSync(join(root, 'shared'), 0o1777)
fs.chmodSync(join(root, 'shared', 'theirs'), 0o777)
for (const path of [root, state, join(root, 'shared/theirs/f.txt'), join(root, 'shared/theirs/in')])
  fs.chownSync(path, NOBODY, NOBODY)
fs.chmodSync(top, 0o755)
becomeOrdinary()

const runtime = await createRuntime({
  root,
  stateDir: state,
  approve: (asked) => asked.map(() => 'once' as const),
})
const results = await runtime.run([
  { id: 'd', name: 'delete_path', args: { path: 'shared/theirs' } },
  { id: 'm', name: 'move_path', args: { from: 'shared/theirs', to: 'mine' } },
])
await runtime.close()
const left = fs.readdirSync(root, { recursive: true, encoding: 'utf8' }).toSorted()
process.stdout.write(JSON.stringify({ results: results.map(({ ok, content }) => ({ ok, content })), left }))
