import assert from 'node:assert'
import test from 'node:test'
import { chunk, count, formatList, unique } from '../index.js'
import { capitalize } from '../lib/words.js'

test('chunk', () => {
  assert.deepEqual(chunk([1, 2, 3], 2), [[1, 2], [3]])
  assert.throws(() => chunk([], 0), RangeError)
})

test('count', () => assert.equal(count.mode(['a', 'b', 'a']), 'a'))

test('unique', () => assert.deepEqual(unique([1, 1, 2]), [1, 2]))

test('words', () => {
  assert.equal(formatList([1, 2, 3]), '1, 2 and 3')
  assert.equal(formatList([]), 'nothing')
  assert.equal(capitalize('ab'), 'Ab')
})
