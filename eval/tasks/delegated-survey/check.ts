import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const [, , root = ''] = process.argv
const read = (file: string) => readFileSync(join(root, file), 'utf8')
const names = (file: string) =>
  [...read(file).matchAll(/^(?:export )?(?:const|function) (\w+)/gm)].map(([, name]) => name).toSorted()
assert.deepEqual(read('REMOVED.md').trim().split(/\s+/), [
  'compareText',
  'isText',
  'lastChunk',
  'uniqueSorted',
])
assert.deepEqual(names('lib/chunk.js'), ['chunk'])
assert.deepEqual(names('lib/checks.js'), ['isEmpty', 'isPositive'])
assert.deepEqual(names('lib/count.js'), ['mode', 'occurrences'])
assert.deepEqual(names('lib/unique.js'), ['unique'])
assert.deepEqual(names('lib/words.js'), ['capitalize', 'formatList'])
assert.doesNotMatch(read('lib/unique.js'), /import/)
assert.equal(spawnSync(process.execPath, ['--test'], { cwd: root }).status, 0, 'the tests fail')
