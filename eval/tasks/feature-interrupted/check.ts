import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { mock } from 'node:test'
import { pathToFileURL } from 'node:url'

interface Cache {
  readonly set: (key: string, value: number, options?: { readonly maxAge: number }) => Cache
  readonly entriesAscending: () => Iterable<readonly [string, number]>
  readonly remainingAge: (key: string) => number | undefined
}

const [, , root = ''] = process.argv
const { default: Cache } = (await import(pathToFileURL(join(root, 'index.js')).href)) as {
  readonly default: new (options: { readonly maxSize: number }) => Cache
}
mock.timers.enable({ apis: ['Date'], now: 1000 })
const cache = new Cache({ maxSize: 2 })
cache.set('a', 1, { maxAge: 100 }).set('b', 2).set('c', 3)
assert.equal(cache.remainingAge('a'), 100)
assert.equal(cache.remainingAge('b'), Infinity)
assert.equal(cache.remainingAge('none'), undefined)
assert.deepEqual(
  [...cache.entriesAscending()].map(([key]) => key),
  ['a', 'b', 'c'],
  'an entry became recent',
)
mock.timers.tick(40)
assert.equal(cache.remainingAge('a'), 60)
mock.timers.tick(61)
assert.equal(cache.remainingAge('a'), undefined)
for (const file of ['index.d.ts', 'readme.md', 'test.js']) {
  const text = readFileSync(join(root, file), 'utf8')
  assert.match(text, /remainingAge\(/, `${file} does not have remainingAge`)
  assert.doesNotMatch(text, /\bttl\(/, `${file} has the old name`)
}
const tests = spawnSync(process.execPath, ['--test', 'test.js'], { cwd: root, encoding: 'utf8' })
assert.equal(tests.status, 0, 'the tests fail')
