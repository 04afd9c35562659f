import assert from 'node:assert'
import test from 'node:test'
import { LANGUAGES, subjectOf, textsOf } from '../src/subject.js'

test('every language has the same messages', () => {
  const [first, ...others] = LANGUAGES.map((language) => Object.keys(textsOf(language)))
  for (const names of others) assert.deepEqual(names, first)
})

test('an order that was shipped', () => {
  assert.equal(subjectOf('order-shipped', 'en'), 'Your order is on its way')
  assert.equal(subjectOf('order-shipped', 'de'), 'Ihre Bestellung ist unterwegs')
})
