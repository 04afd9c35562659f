import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { createRuntime } from '../../../src/runtime/create-runtime.ts'
import { compareFiles, describeFiles } from '../../harness/layers/describe-files.ts'
import type { Files } from '../../harness/layers/describe-files.ts'
import { openAll } from '../../harness/layers/open-all.ts'
import { becomeOrdinary } from '../../harness/ordinary-user.ts'

/**
 * Lands a command that closes names to their owner, takes it back, redoes it and takes it back again, and prints what
 * differs each time as JSON. `first` prepares the folder, `since` is what a person does
 * to it after the command.
 */
const [top = '', line = '', first = 'true', since = ''] = process.argv.slice(2)
becomeOrdinary()
const root = join(top, 'root')
for (const path of ['root', 'root/src', 'state']) mkdirSync(join(top, path), { mode: 0o700 })
for (const path of ['README', 'src/i']) writeFileSync(join(root, path), path)
chmodSync(join(root, 'README'), 0o644)
execFileSync('sh', ['-c', `umask 022; ${first}`], { cwd: root })

/** Describes the folder; what is closed is opened for the look. */
function look(): Files {
  const shut = openAll(root)
  const found = describeFiles(root)
  for (const [path, mode] of shut.toReversed()) chmodSync(path, mode)
  return new Map([...found, ...shut.map(([path, mode]) => [`mode of ${path}`, mode.toString(8)] as const)])
}

const before = look()
const runtime = await createRuntime({
  root,
  stateDir: join(top, 'state'),
  approve: (asked) => asked.map(() => 'once' as const),
})
const [ran] = await runtime.run([
  { id: 'c', name: 'run_shell', args: { cmd: ['sh', '-c', `umask 022; set -e; ${line}`] } },
])
const after = look()
if (since !== '') execFileSync('sh', ['-c', since], { cwd: root })
const isOther = compareFiles(before, after).length > 0
const said: unknown[] = [ran?.ok === true && isOther && ran.result['exit_code'] === 0 ? null : ran?.content]
for (const word of ['undo', 'redo', 'undo'] as const) {
  const { message } = await runtime[word]()
  said.push(message, ...compareFiles(word === 'undo' ? before : after, look()))
}
await runtime.close()
// The folder has to be removable.
for (const path of ['root', 'state']) openAll(join(top, path))
process.stdout.write(JSON.stringify(said))
