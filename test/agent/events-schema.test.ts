import { expect, it } from 'vitest'
import { eventsJsonSchema } from '../../src/agent/events-schema.ts'
import { compileSchema } from '../../src/schema/compile-schema.ts'

const schema = compileSchema(eventsJsonSchema())
const fits = (event: unknown): boolean => schema.ok && schema.validate(event).length === 0
const execution = { id: 'e', state: 'COMPLETED', duration_ms: 1 }

it('the schema of events takes what a turn prints, with fields that are added later', () => {
  for (const event of [
    { event: 'turn', turn: 't', session: 's', model: 'm' },
    { event: 'text', text: 'x', starts_over: true },
    { event: 'result', id: '1', name: 'n', ok: true, result: {}, content: '', execution },
    {
      event: 'done',
      stop: 'end',
      usage: { input_tokens: 1, output_tokens: 0, cached_tokens: 0, cost: null },
      changes: [],
      missing: [],
    },
    { event: 'error', code: 'model_error', message: 'x', later: 1 },
  ])
    expect(fits(event), JSON.stringify(event)).toBe(true)
})

it('the schema of events refuses what no turn prints', () => {
  for (const event of [
    {},
    { event: 'nosuch' },
    { event: 'text' },
    { event: 'result', id: '1', name: 'n', ok: false, result: {}, content: '', execution },
    {
      event: 'result',
      id: '1',
      name: 'n',
      ok: true,
      result: {},
      content: '',
      execution: { ...execution, state: 'NOSUCH' },
    },
    {
      event: 'done',
      stop: 'nosuch',
      usage: { input_tokens: 1, output_tokens: 0, cached_tokens: 0, cost: null },
      changes: [],
      missing: [],
    },
  ])
    expect(fits(event), JSON.stringify(event)).toBe(false)
})
