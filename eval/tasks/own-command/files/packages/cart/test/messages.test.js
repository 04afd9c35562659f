import assert from 'node:assert'
import test from 'node:test'
import { messages } from '../src/messages.js'

test('messages are sentences', () => {
  for (const text of Object.values(messages)) assert.match(text, /^[A-Z].*\.$/)
})
