import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const [, , root = ''] = process.argv
assert.deepEqual(JSON.parse(readFileSync(join(root, 'plantings.json'), 'utf8')), [
  { tree: 'ash', count: 30 },
  { tree: 'fir', count: 50 },
  { tree: 'oak', count: 15 },
  { tree: 'yew', count: 40 },
])
assert.equal(spawnSync(process.execPath, ['--test'], { cwd: root }).status, 0, 'the tests fail')
