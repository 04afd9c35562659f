import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { ToolResult } from '../../src/core/result.ts'
import { formatFenced, formatFencedResult, parseFencedCalls } from '../../src/wire/fenced.ts'
import { roundsOf } from '../harness/long-run.ts'

const block = (body: string, fence = '```') => `${fence}tool-call\n${body}\n${fence}`
const good = '{"id":"1","name":"read_file","args":{"path":"a"},"meta":{"cwd":".","timeout":10}}'

function result(content: string): ToolResult {
  return {
    id: '1',
    name: 'read_file',
    ok: true,
    result: { content },
    content,
    execution: { id: 'e', state: 'COMPLETED', duration_ms: 1 },
  }
}

describe('calls in fenced blocks', () => {
  it('F-PROTO-CALL: a block gives id, name, arguments and what rides along', () => {
    expect(parseFencedCalls(`Look:\n${block(good)}\nthen`)).toEqual([
      { id: '1', name: 'read_file', args: { path: 'a' }, meta: { cwd: '.', timeout: 10 }, problems: [] },
    ])
  })

  it('F-PROTO-ONE: one block holds one call; several blocks are several calls, in order', () => {
    const two = parseFencedCalls(`${block(good)}\n${block(good.replace('"1"', '"2"'))}`)
    expect(two.map(({ id }) => id)).toEqual(['1', '2'])
    expect(parseFencedCalls(block(`${good}\n${good}`))[0]?.problems[0]).toMatch(/one block holds one object/)
    expect(parseFencedCalls(block(`[${good}]`))[0]?.problems).toHaveLength(1)
  })

  it.each([
    ['{"name":"x","args":{}}', /id is missing/],
    ['{"id":7,"name":"x","args":{}}', /^id must be a string, not a number$/],
    ['{"id":null,"name":"x","args":{}}', /^id must be a string, not null$/],
    ['{"id":"a","name":[],"args":{}}', /^name must be a string, not an array$/],
    ['{"id":"1","args":{}}', /name is missing/],
    ['{"id":"1","name":"x"}', /args is missing/],
    ['{"id":"1","name":"x","args":{"a":1,"a":2}}', /duplicate key/],
    ['{"id":"1","name":"x","args":{},"meta":"soon"}', /meta must be an object/],
    ['{half', /not valid JSON/],
  ])('F-PROTO-FIELDS: %s is told apart from a call', (body, message) => {
    expect(parseFencedCalls(block(body))[0]?.problems.join('; ')).toMatch(message)
  })

  it('fields nobody knows are ignored', () => {
    expect(parseFencedCalls(block('{"id":"1","name":"x","args":{},"mood":"good"}'))[0]?.problems).toEqual([])
  })

  it('a block that is not finished is no call, and other fences are text', () => {
    expect(parseFencedCalls('```tool-call\n{"id":"1"')).toEqual([])
    expect(parseFencedCalls('```json\n{"id":"1","name":"x","args":{}}\n```')).toEqual([])
  })
})

describe('calls that are only quoted', () => {
  it('a block inside another fence is text, as a reader of the message sees it', () => {
    const quoted = block(good)
    for (const [before, after] of [
      ['````', '````'],
      ['````markdown', '`````'],
      ['~~~', '~~~'],
      ['```', ''],
    ]) {
      const text = `${before}\n${quoted}\n${after}`
      expect(parseFencedCalls(text), text).toEqual([])
    }
  })

  it('a fence that has ended, or is none, hides no call', () => {
    for (const before of [
      '```js\nlet x\n```',
      '~~~\n```\n~~~',
      'see ```inline``` here',
      '    ```',
      '```a```',
    ])
      expect(parseFencedCalls(`${before}\n${block(good)}`), before).toHaveLength(1)
  })
})

describe('results in fenced blocks', () => {
  it('F-PROTO-RESULT: a result carries id, name, ok and the result itself', () => {
    const text = formatFencedResult(result('hello'))
    expect(text).toMatch(/^```tool-result\n/)
    expect(JSON.parse(text.split('\n').slice(1, -1).join('\n'))).toEqual({
      id: '1',
      name: 'read_file',
      ok: true,
      result: { content: 'hello' },
    })
  })

  it('F-PROTO-ERROR: an error carries type, message, details and recovery', () => {
    const failed: ToolResult = {
      id: '1',
      name: 'read_file',
      ok: false,
      error: {
        code: 'execution_failed',
        kind: 'ExecutionFailed',
        type: 'file-error',
        class: 'ExecutionError',
        message: 'm',
        details: { path: 'a' },
        recovery: ['r'],
      },
      content: 'm',
      execution: { id: 'e', state: 'ROLLED_BACK', duration_ms: 1 },
    }
    expect(JSON.parse(formatFencedResult(failed).split('\n').slice(1, -1).join('\n'))).toEqual({
      id: '1',
      name: 'read_file',
      ok: false,
      error: { type: 'file-error', message: 'm', details: { path: 'a' }, recovery: ['r'] },
    })
  })

  it('a text with any number of backticks can be fenced', () => {
    expect(formatFenced('notes', '` '.repeat(400_000)).slice(0, 10)).toBe('```notes\n`')
  })

  it('nothing in a result can end its block or begin another', () => {
    const pieces = fc.constantFrom('```', '````', '`````', '\n', 'tool-call', 'tool-result', good, 'x')
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 12 }), (parts) => {
        const text = formatFencedResult(result(parts.join('')))
        const fence = /^`+/.exec(text)?.[0] ?? ''
        const body = text.slice(fence.length, -fence.length)
        expect(body).not.toContain(fence)
        expect(parseFencedCalls(text)).toEqual([])
      }),
      { numRuns: roundsOf(200, 2000) },
    )
  })
})
