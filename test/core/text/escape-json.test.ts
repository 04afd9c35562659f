import * as fc from 'fast-check'
import { isDeepStrictEqual } from 'node:util'
import { describe, expect, it } from 'vitest'
import { toJsonLine } from '../../../src/core/text/escape-json.ts'
import { anyText } from './any-text.ts'
import { roundsOf } from '../../harness/long-run.ts'

const UNSAFE =
  /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Bidi_Control}\p{Default_Ignorable_Code_Point}\u{13430}-\u{13455}]/v

describe('toJsonLine', () => {
  it('NFR-SEC-05: control, bidi, tag and invisible characters leave as escapes, keys too', () => {
    expect(toJsonLine({ 'k\u202E': '\u001B[2J\u007F\u009B\u2028\u200B\uFEFF' })).toBe(
      String.raw`{"k\u202e":"\u001b[2J\u007f\u009b\u2028\u200b\ufeff"}`,
    )
    expect(toJsonLine('\u{E0041}😀é\uD800')).toBe(String.raw`"\udb40\udc41😀é\ud800"`)
    expect(toJsonLine('back\\slash "quote"\n')).toBe(String.raw`"back\\slash \"quote\"\n"`)
  })

  it('gives null where there is nothing to say', () => {
    expect(toJsonLine(undefined)).toBe('null')
  })

  it('NFR-SEC-05: is one safe line that parses back to the same value', () => {
    const value = anyText(6)
    const hostile = fc.array(
      fc.constantFrom('\\', '"', '\u009B', '\u202E', '\u{E0041}', '\uDB40', '\uDC41', '\n', 'u'),
      { maxLength: 6 },
    )
    fc.assert(
      fc.property(value, hostile, (data, parts) => {
        const whole = [data, { [parts[0] ?? '']: parts.join('') }]
        const line = toJsonLine(whole)
        return !UNSAFE.test(line) && isDeepStrictEqual(JSON.parse(line), whole)
      }),
      { numRuns: roundsOf(2000, 20_000) },
    )
  })
})
