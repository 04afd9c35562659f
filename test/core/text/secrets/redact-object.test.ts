import { describe, expect, it } from 'vitest'
import { redactObject } from '../../../../src/core/text/secrets/redact-object.ts'
import type { Hidden } from '../../../../src/core/text/secrets/redact.ts'

const TOKENS = [
  'ghp_abcdefghijklmnopqrstuvwxyz0123456780',
  'ghp_zyxwvutsrqponmlkjihgfedcba9876543210',
] as const

describe('the keys of a result', () => {
  it('are searched for secrets as its values are, at every depth', () => {
    const found: Hidden[] = []
    const value = { rows: [{ [TOKENS[0]]: 1, [TOKENS[1]]: 2, plain: 3 }] }
    const shown = redactObject(value, { known: [] }, (hidden) => void found.push(hidden))
    const text = JSON.stringify(shown)
    for (const token of TOKENS) expect(text).not.toContain(token)
    expect(found).toHaveLength(2)
    // Neither value is lost, although both keys read the same now.
    expect(Object.values((shown['rows'] as readonly object[])[0] ?? {})).toEqual([1, 2, 3])
  })

  it('are searched for values that are known to be secret', () => {
    const shown = redactObject({ correcthorse: true, other: 1 }, { known: ['correcthorse'] })
    expect(JSON.stringify(shown)).not.toContain('correcthorse')
    expect(shown['other']).toBe(1)
  })

  it('are not compared with known values if none of the texts is long enough to contain one', () => {
    const asked: string[] = []
    const rules = (of: string, ...known: readonly string[]) => ({
      get known() {
        asked.push(of)
        return known
      },
    })
    redactObject({ sum: 3, all: ['five5', { deep: null }] }, rules('short'))
    expect(asked).toEqual([])
    expect(redactObject({ sum: 'sixsix' }, rules('long', 'sixsix'))).toEqual({ sum: '[redacted]' })
    expect(asked).toContain('long')
  })

  it('leave an object as it is if there is nothing to hide', () => {
    const value = { path: 'a.txt', inner: { lines: [1, 2] } }
    expect(redactObject(value, { known: [] })).toBe(value)
  })
})
