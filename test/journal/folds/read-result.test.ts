import { describe, expect, it } from 'vitest'
import type { SettledEntry } from '../../../src/journal/entries/entry.ts'
import { readResult } from '../../../src/journal/folds/read-result.ts'

const ENTRY: SettledEntry = {
  kind: 'settled',
  batch: 'b',
  turn: 't',
  execution: 'e1',
  name: 'read_file',
  version: '1.0.0',
  effect: 'read',
  moves: [
    { state: 'DECLARED', at: 1 },
    { state: 'COMPLETED', at: 2 },
  ],
  error: null,
  result: 'digest',
  output: null,
  capabilities: [],
  changes: [],
  gates: [],
  durationMs: 0,
}
const CALLS = [{ execution: 'e1', id: 'c1', name: 'read_file', args: 'digest' }]

describe('a recorded result', () => {
  it('is given as it was recorded', () => {
    const kept = { ok: true, result: {}, content: 'text' }
    const payload = () => new TextEncoder().encode(JSON.stringify(kept))
    const execution = { id: 'e1', state: 'COMPLETED', duration_ms: 0 }
    expect(readResult(ENTRY, CALLS, payload)).toEqual({ ...kept, id: 'c1', name: 'read_file', execution })
  })

  it('is a row that says so if its content was erased, whole enough to be told apart', () => {
    const content = '[this result was erased; the call had ended as COMPLETED]'
    const execution = { id: 'e1', state: 'COMPLETED' }
    expect(readResult(ENTRY, CALLS, () => null)).toMatchObject({ id: 'c1', ok: true, content, execution })
    const denied: SettledEntry = {
      ...ENTRY,
      moves: [{ state: 'DENIED', at: 2 }],
      error: { code: 'denylisted', class: 'AuthorizationError' },
    }
    expect(readResult(denied, CALLS, () => null)).toMatchObject({
      ok: false,
      error: { code: 'denylisted', class: 'AuthorizationError' },
      execution: { id: 'e1', state: 'DENIED' },
    })
  })
})
