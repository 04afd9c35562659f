import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { runInNewContext } from 'node:vm'

const CALLS = [
  "bytes.parse('abc')",
  "bytes.parse('1.5')",
  "bytes.parse('-1.5kb')",
  "bytes.parse('1e3')",
  'bytes.format(NaN)',
  'bytes.format(1536, {decimalPlaces: 0})',
  'bytes.format(-1024)',
  'bytes(true)',
]
const [, , root = ''] = process.argv
const bytes = createRequire(join(root, 'x.js'))('./index.js') as unknown
const readme = readFileSync(join(root, 'Readme.md'), 'utf8')
const [, section = ''] = /^## Edge cases\n(.*?)^## License/ms.exec(readme) ?? []
const rows = [...section.matchAll(/^\| *`([^`]+)` *\| *`([^`]+)` *\|$/gm)].map(([, call, result]) => [
  call,
  result,
])
assert.deepEqual(
  rows.map(([call]) => call),
  CALLS,
)
for (const [call = '', result = ''] of rows)
  assert.equal(runInNewContext(result), runInNewContext(call, { bytes }), `${call} is not ${result}`)
assert.match(section, /^\| *Call *\| *Result *\|$/m)
assert.match(readme, /^\| unit \|.*B\/KB\/MB\/GB\/TB\/PB/m)
assert.match(readFileSync(join(root, 'History.md'), 'utf8'), /^unreleased\n=+\n\n {2}\* .*readme/im)
const changed = spawnSync('git', ['status', '--short'], { cwd: root, encoding: 'utf8' })
  .stdout.trim()
  .split('\n')
assert.deepEqual(
  changed.map((line) => line.trim()),
  ['M History.md', 'M Readme.md'],
)
