import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'

const [, , root = ''] = process.argv
const git = (...args: readonly string[]) => spawnSync('git', args, { cwd: root, encoding: 'utf8' }).stdout
assert.equal(existsSync(join(root, '_baseRest.js')), false)
assert.equal(
  git('grep', '--untracked', '--files-with-matches', 'baseRest'),
  '',
  'the old name is still there',
)
git('add', '--all')
const changed = git('diff', '--cached', '--find-renames', '--numstat').trim().split('\n')
const users = git('grep', '--files-with-matches', 'baseRest', 'HEAD').trim().split('\n')
assert.equal(changed.length, users.length, 'the number of changed files')
for (const line of changed) {
  const [added, removed] = line.split('\t')
  assert.equal(added, removed, line)
}
const require = createRequire(join(root, 'index.js'))
const load = <T>(name: string) => require(`./${name}`) as T
assert.deepEqual(load<(...lists: readonly number[][]) => number[]>('union')([1], [2, 1]), [1, 2])
assert.deepEqual(load<(...lists: readonly number[][]) => number[]>('difference')([1, 2], [2]), [1])
assert.deepEqual(
  load<(list: readonly number[], ...values: number[]) => number[]>('without')([1, 2, 3], 2),
  [1, 3],
)
