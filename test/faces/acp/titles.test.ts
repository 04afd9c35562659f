import { expect, it } from 'vitest'
import type { JsonObject } from '../../../src/core/json/value.ts'
import { describeCall } from '../../../src/faces/acp/turns/describe-call.ts'

const facts = { effectOf: () => 'read', toAbsolute: (path: string) => `/w/${path}` }
const titleOf = (name: string, args: JsonObject) => describeCall(name, args, facts).title

it.for<readonly [string, JsonObject, string]>([
  ['read_file', { path: 'src/a_b.ts' }, 'read_file src/a_b.ts'],
  ['read_file', { path: 'src/__init__.py' }, 'read_file `src/__init__.py`'],
  ['glob', { patterns: ['**/*.ts'] }, 'glob `**/*.ts`'],
  ['read_file', { path: '[a.txt](http://evil)' }, 'read_file `"[a.txt](http://evil)"`'],
  ['read_file', { path: '![](http://evil/x.png)' }, 'read_file `"![](http://evil/x.png)"`'],
  ['run_shell', { command: 'echo `id`' }, 'run_shell `` echo `id` ``'],
  ['run_shell', { command: 'ls -l && make' }, 'run_shell ls -l && make'],
  ['read_file a.txt', { path: 'id_rsa' }, '"read_file a.txt" id_rsa'],
  ['move_path', { from: 'a to b', to: 'c' }, 'move_path "a to b" to c'],
  ['list_tasks', {}, 'list_tasks'],
])(
  'the title of %s %j says what the call does, also where it is drawn as Markdown',
  ([name, args, title]) => {
    expect(titleOf(name, args)).toBe(title)
  },
)

it('a title is one short line without characters that do not show, whatever a call is called', () => {
  const title = titleOf(`x\u202E${'y'.repeat(5000)}\n`, { path: `a\u202Etxt.exe\n${'z'.repeat(5000)}` })
  expect(title).not.toMatch(/[\n\u202E]/)
  expect(title.length).toBeLessThan(300)
})
