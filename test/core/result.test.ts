import { describe, expect, it } from 'vitest'
import type { ToolResult } from '../../src/core/result.ts'
import { rowOfOnly } from '../../src/core/result.ts'

const row = (id: string, extra: Partial<ToolResult> = {}): ToolResult =>
  ({
    id,
    name: 'read_file',
    content: '',
    ok: true,
    result: {},
    execution: { id, state: 'completed', duration_ms: 0 },
    ...extra,
  }) as ToolResult

describe('the row of a batch of one call', () => {
  it('is the one of the call, not of what the runtime ran before it', () => {
    expect(rowOfOnly([row('first', { origin: 'runtime' }), row('asked')])?.id).toBe('asked')
    expect(rowOfOnly([row('asked', { origin: 'model' })])?.id).toBe('asked')
  })

  it('is missing if only the runtime made calls', () => {
    expect(rowOfOnly([row('first', { origin: 'runtime' })])).toBeNull()
  })
})
