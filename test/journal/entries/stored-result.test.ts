import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { ToolResult } from '../../../src/core/result.ts'
import type { SettledEntry } from '../../../src/journal/entries/entry.ts'
import { formatResult, restoreResult } from '../../../src/journal/entries/stored-result.ts'
import { settledOf } from '../sample-entries.ts'

const ENTRY: SettledEntry = {
  ...settledOf('b1', 1),
  moves: [
    { state: 'DECLARED', at: 1 },
    { state: 'COMPLETED', at: 2 },
  ],
  durationMs: 7,
}
const CALLS = [{ execution: ENTRY.execution, id: 'c1' }]
const DONE: ToolResult = {
  id: 'c1',
  name: 'read_file',
  ok: true,
  result: { text: 'a "b"\n' },
  content: '{"text":"a \\"b\\"\\n"}',
  execution: { id: ENTRY.execution, state: 'COMPLETED', duration_ms: 7 },
  continuation: {
    requests_continuation: false,
    has_continue_rule: false,
    requires_heartbeat: true,
    ends_loop: false,
  },
}

const LONG = 'a long line of output, "quoted"\n'.repeat(20)

function roundTrip(result: ToolResult, entry = ENTRY): ToolResult {
  return restoreResult(JSON.parse(formatResult(result)) as Record<string, unknown>, entry, CALLS)
}

describe('a stored result', () => {
  const failed: ToolResult = {
    id: 'c1',
    name: 'read_file',
    ok: false,
    error: { code: 'stale_file', class: 'conflict', message: 'changed', recoverable: true } as never,
    content: 'changed\nRead it again.',
    execution: { id: ENTRY.execution, state: 'FAILED', duration_ms: 7 },
  }
  it.each<readonly [string, ToolResult, SettledEntry]>([
    ['whose text is its JSON', DONE, ENTRY],
    ['with text of its own', { ...DONE, content: 'a "b"' }, ENTRY],
    ['with text that only looks like its JSON', { ...DONE, content: '{"text":"b"}' }, ENTRY],
    ['without text', { ...DONE, content: '' }, ENTRY],
    [
      'whose text repeats its parts',
      { ...DONE, result: { rows: [LONG, 'b', LONG] }, content: `1: ${LONG}\n2: b\n3: ${LONG}\n` },
      ENTRY,
    ],
    [
      'of the runtime, with warnings and hidden parts',
      {
        ...DONE,
        origin: 'runtime',
        warnings: ['deprecated'],
        hidden: [{ file: null, line: 1, kind: 'token', characters: 9 }],
      },
      ENTRY,
    ],
    [
      'under a grant, at the second attempt',
      { ...DONE, execution: { ...DONE.execution, grant: 'g1', attempts: 2 } },
      {
        ...ENTRY,
        grant: { id: 'g1', sentence: 'read anything' },
        attempts: [{ number: 1, at: 1, code: 'timeout', class: 'timeout', durationMs: 1 }],
      },
    ],
    ['of a failure', failed, { ...ENTRY, moves: [{ state: 'FAILED', at: 1 }] }],
  ])('is given back %s, in the order of its fields', (_, result, entry) => {
    expect(JSON.stringify(roundTrip(result, entry))).toBe(JSON.stringify(result))
  })

  it('is the same text for two calls with the same outcome', () => {
    const other: ToolResult = {
      ...DONE,
      id: 'c2',
      execution: { id: 'e000002', state: 'COMPLETED', duration_ms: 12 },
    }
    expect(formatResult(other)).toBe(formatResult(DONE))
    expect(formatResult({ ...DONE, result: { text: 'b' } })).not.toBe(formatResult(DONE))
  })

  it('does not hold a text twice that the result has', () => {
    const result = { ...DONE, result: { path: 'a.txt', content: LONG }, content: `${LONG}[note]` }
    expect(formatResult(result).split('a long line of output')).toHaveLength(21)
  })

  it('gives back any text beside any result', () => {
    const word = fc.stringMatching(/^[ab]{0,60}$/)
    fc.assert(
      fc.property(fc.array(word), fc.array(fc.tuple(word, fc.nat(9))), (texts, picks) => {
        const content = picks.map(([own, index]) => own + (texts[index] ?? '')).join('')
        const result: ToolResult = { ...DONE, result: { texts }, content }
        expect(roundTrip(result).content).toBe(content)
      }),
    )
  })

  it('is read as earlier versions stored it', () => {
    expect(restoreResult({ ...DONE }, { ...ENTRY, execution: 'another' }, [])).toEqual(DONE)
  })
})
