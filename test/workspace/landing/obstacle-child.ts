import { execFileSync } from 'node:child_process'
import * as fs from 'node:fs'
import { join } from 'node:path'
import { createRuntime } from '../../../src/runtime/create-runtime.ts'
import { becomeOrdinary, NOBODY } from '../../harness/ordinary-user.ts'
import { watchSteps } from '../../harness/faults/world/steps.ts'
import { unwatched } from '../../harness/faults/world/watching.ts'

/**
 * Edits three files of which the middle one cannot be replaced, in a mount namespace of its own, and prints what came
 * of it as JSON. `later` puts the obstacle there only when the first file is in place.
 */
const [top = '', kind = '', moment = ''] = process.argv.slice(2)
const root = join(top, 'root')
const middle = join(root, 'm.txt')
const read = (name: string): string => fs.readFileSync(join(root, name), 'utf8')
const run = (...[program = '', ...args]: readonly string[]): void => void execFileSync(program, args)

/** How the obstacle is put there and taken away again. */
const OBSTACLES: Readonly<Record<string, readonly [put: () => void, remove: () => void]>> = {
  immutable: [() => run('chattr', '+i', middle), () => run('chattr', '-i', middle)],
  'append-only': [() => run('chattr', '+a', middle), () => run('chattr', '-a', middle)],
  'mounted on': [() => run('mount', '--bind', middle, middle), () => run('umount', middle)],
  'mounted read-only': [
    () => {
      run('mount', '--bind', root, root)
      run('mount', '-o', 'remount,bind,ro', root)
    },
    () => run('umount', root),
  ],
  'in an immutable folder': [() => run('chattr', '+i', root), () => run('chattr', '-i', root)],
  "another user's in a sticky folder": [
    () => {
      fs.chmodSync(root, 0o1777)
      for (const path of [join(root, 'a.txt'), join(root, 'z.txt'), join(top, 'state')])
        fs.chownSync(path, NOBODY, NOBODY)
      becomeOrdinary()
    },
    () => undefined,
  ],
}

const PATCH = ['a', 'm', 'z'].map((name) => `F ${name}.txt\nR\nold\n.\nnew\n.\n`).join('')

const [put, remove] = OBSTACLES[kind] ?? [() => undefined, () => undefined]
fs.mkdirSync(root, { recursive: true })
for (const name of ['a.txt', 'm.txt', 'z.txt']) fs.writeFileSync(join(root, name), 'old\n')
fs.mkdirSync(join(top, 'state'), { mode: 0o700 })
fs.chmodSync(top, 0o755)

const open = () =>
  createRuntime({ root, stateDir: join(top, 'state'), approve: (asked) => asked.map(() => 'once' as const) })
const reads = ['a.txt', 'm.txt', 'z.txt'].map((path, index) => ({
  id: `r${index}`,
  name: 'read_file',
  args: { path },
}))
const patch = { id: 'p', name: 'apply_patch', args: { patch: `LP1\n${PATCH}END\n` } }

// Loads what is loaded late, while everything can still be read.
const first = await createRuntime({ root, durability: 'memory', stateDir: join(top, 'state') })
await first.run(reads)
await first.close()

if (moment === 'before') put()
let runtime = await open()
const states: string[] = []
const edit = async () => {
  const results = await runtime.run([...reads, patch], {
    onEvent: (event) => event.event === 'state' && event.id === 'p' && states.push(event.state),
  })
  return results.at(-1)
}
let isThere = moment === 'before'
let result: unknown
await watchSteps(
  ({ name, target }) => {
    if (!isThere && name === 'renameSync' && target.endsWith('/m.txt')) {
      isThere = true
      unwatched(put)
    }
    return null
  },
  async () => {
    result = await edit()
  },
)
const files = ['a.txt', 'm.txt', 'z.txt'].map(read)
const audit = [...runtime.audit()].filter(({ toolId }) => toolId === 'apply_patch').map(({ state }) => state)
const undo = await runtime.undo()
const doubts = await runtime.recover()
await runtime.close()
remove()
runtime = await open()
await runtime.ready()
const later = ['a.txt', 'm.txt', 'z.txt'].map(read)
const redo = await runtime.redo()
const again = redo.ok ? null : await edit()
const last = ['a.txt', 'm.txt', 'z.txt'].map(read)
await runtime.close()
const left = fs.readdirSync(root)
process.stdout.write(
  JSON.stringify({ result, states, files, audit, undo, doubts, later, redo: redo.ok, again, last, left }),
)
