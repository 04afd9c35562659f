import { lstatSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createRuntime } from '../../../src/runtime/create-runtime.ts'
import { NOBODY } from '../../harness/ordinary-user.ts'

/** Has a call change or delete what belongs to root, undoes and redoes it as an ordinary user, and prints what came of it. */
const [top = '', kind = ''] = process.argv.slice(2)
const root = join(top, 'root')
const file = join(root, 'shared/theirs.txt')

const CALLS: Readonly<Record<string, { readonly name: string; readonly args: Record<string, unknown> }>> = {
  'a file': { name: 'delete_path', args: { path: 'shared/theirs.txt' } },
  'a program with rights': { name: 'delete_path', args: { path: 'shared/theirs.txt' } },
  'a folder': { name: 'delete_path', args: { path: 'shared' } },
  'an edited file': {
    name: 'edit_file',
    args: { path: 'shared/theirs.txt', old: 'old', new: 'new' },
  },
}
const call = CALLS[kind]
if (call === undefined) throw new Error(`no call for ${kind}`)
const runtime = await createRuntime({
  root,
  stateDir: join(top, 'state'),
  approve: (asked) => asked.map(() => 'once' as const),
})
await runtime.run([{ id: 'r', name: 'read_file', args: { path: 'shared/theirs.txt' } }])
const look = () => {
  const stat = lstatSync(file, { throwIfNoEntry: false })
  if (stat === undefined) return null
  return { text: readFileSync(file, 'utf8'), mode: stat.mode & 0o7777, isOurs: stat.uid === NOBODY }
}
const [result] = await runtime.run([{ id: 'c', ...call }])
const changed = look()
const undo = await runtime.undo({})
const undone = look()
const redo = await runtime.redo()
const redone = look()
const again = await runtime.undo({})
const last = look()
await runtime.close()
process.stdout.write(JSON.stringify({ result, changed, undo, undone, redo, redone, again, last }))
