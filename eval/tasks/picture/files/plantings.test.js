import assert from 'node:assert'
import test from 'node:test'
import { readPlantings, total } from './plantings.js'

test('each planting has a tree and a count', () => {
  const plantings = readPlantings()
  assert.ok(plantings.length > 0, 'there are none')
  for (const { tree, count } of plantings) {
    assert.match(tree, /^[a-z]+$/)
    assert.ok(Number.isInteger(count) && count > 0)
  }
  assert.equal(new Set(plantings.map(({ tree }) => tree)).size, plantings.length)
})

test('the total', () => {
  assert.equal(total([{ tree: 'larch', count: 2 }, { tree: 'birch', count: 3 }]), 5)
})
