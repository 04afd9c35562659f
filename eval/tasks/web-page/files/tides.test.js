import assert from 'node:assert'
import test from 'node:test'
import { addressOf, headersFor, readTides } from './tides.js'

test('the address', () => {
  assert.equal(addressOf('St Malo', '2026-05-01'), 'https://tides.example/v2/tides?harbour=St%20Malo&day=2026-05-01')
})

test('the headers', () => {
  assert.deepEqual(headersFor('k1'), { accept: 'application/json', 'x-api-key': 'k1' })
})

test('an answer', () => {
  const answer = { tides: [{ at: '2026-05-01T04:10:00Z', kind: 'high', height: 5.4 }] }
  assert.deepEqual(readTides(answer), [{ at: new Date('2026-05-01T04:10:00Z'), isHigh: true, metres: 5.4 }])
})
