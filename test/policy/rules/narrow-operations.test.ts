import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../../src/core/json/value.ts'
import { narrowOperations } from '../../../src/policy/rules/narrow-operations.ts'
import { judgeRules } from '../../../src/policy/rules/judge-rules.ts'
import { NO_HISTORY } from '../../../src/policy/rules/rule-state.ts'
import { bookOf, factsOf, fullRules } from './rule-bench.ts'

const only = (...operations: readonly string[]) =>
  fullRules([{ tool: 'task', type: 'AllowedOperations', operations }])

const withAction = (action: JsonObject): JsonObject => ({
  type: 'object',
  properties: { action, id: { type: 'string' } },
})

const variant = (name: string): JsonObject => ({ properties: { action: { const: name }, x: {} } })

function actionOf(schema: JsonObject | null): unknown {
  return (schema?.['properties'] as JsonObject | undefined)?.['action']
}

describe('operations that a rule forbids', () => {
  it.each([
    ['a list', { enum: ['list', 'show', 'drop'] }, { enum: ['list', 'show'] }],
    ['any text', { type: 'string' }, { type: 'string', enum: ['show', 'list'] }],
    ['one that is fixed', { const: 'list' }, { const: 'list' }],
    ['a default that is gone', { enum: ['list', 'drop'], default: 'drop' }, { enum: ['list'] }],
    [
      'a default that stays',
      { enum: ['list', 'drop'], default: 'list' },
      { enum: ['list'], default: 'list' },
    ],
    ['a choice', { oneOf: [{ const: 'list' }, { const: 'drop' }] }, { oneOf: [{ const: 'list' }] }],
  ])('are not shown: %s', (_title, action, left) => {
    const schema = withAction(action)
    expect(actionOf(narrowOperations(schema, only('show', 'list')))).toEqual(left)
    expect(schema).toEqual(withAction(action))
  })

  it('take the variants with them that are about nothing else', () => {
    const schema = { type: 'object', oneOf: [variant('list'), variant('drop')] }
    expect(narrowOperations(schema, only('list'))).toEqual({ type: 'object', oneOf: [variant('list')] })
    expect(narrowOperations(schema, only('show'))).toBeNull()
  })

  it('leave nothing to show where none is allowed', () => {
    expect(narrowOperations(withAction({ enum: ['drop'] }), only('list'))).toBeNull()
    expect(narrowOperations(withAction({ const: 'drop' }), only('list'))).toBeNull()
    expect(narrowOperations(withAction({ type: 'string' }), [...only('list'), ...only('show')])).toBeNull()
  })

  it('of several rules only what all allow is left', () => {
    const rules = [...only('list', 'show'), ...only('show', 'drop')]
    expect(actionOf(narrowOperations(withAction({ type: 'string' }), rules))).toEqual({
      type: 'string',
      enum: ['show'],
    })
  })

  it('other schemas and other rules change nothing', () => {
    const plain = { type: 'object', properties: { path: { type: 'string' } } }
    expect(narrowOperations(plain, only('list'))).toEqual(plain)
    expect(narrowOperations(plain, fullRules([{ tool: 'task', type: 'ExitLoop' }]))).toBe(plain)
  })

  it('are refused by the argument, whatever was shown', () => {
    const book = bookOf([{ tool: '*', type: 'AllowedOperations', operations: ['list'] }])
    const judged = (args: JsonObject, inputSchema: JsonObject): number =>
      judgeRules(book, NO_HISTORY, factsOf('task', { args, inputSchema }), 0).length
    const schema = withAction({ type: 'string' })
    expect(judged({ action: 'list' }, schema)).toBe(0)
    expect(judged({ action: 'List' }, schema)).toBe(1)
    expect(judged({ action: ['list'] }, schema)).toBe(1)
    expect(judged({}, schema)).toBe(1)
    expect(judged({}, withAction({ type: 'string', default: 'list' }))).toBe(0)
    expect(judged({}, withAction({ type: 'string', default: 'drop' }))).toBe(1)
    expect(judged({ path: 'a' }, { type: 'object', properties: {} })).toBe(0)
    expect(judged({ action: 'drop' }, { type: 'object', properties: {} })).toBe(1)
  })
})
