import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { beginRun } from '../../src/schema/check.ts'
import { parsePattern } from '../../src/schema/pattern/parse-pattern.ts'
import { compilePattern } from '../../src/schema/pattern/pattern.ts'
import { createMachine } from '../../src/schema/pattern/pattern-machine.ts'
import { faultOf, fits, wordsOf } from './fits.ts'
import { randomPattern, randomText } from './random-pattern.ts'
import { roundsOf } from '../harness/long-run.ts'

/** The engine would need ages for some of the patterns that are generated, so texts are short. */
function isAccepted(source: string): boolean {
  try {
    return new RegExp(source, 'u') instanceof RegExp
  } catch {
    return false
  }
}

function engineOf(source: string): string {
  const pattern = compilePattern(source)
  return pattern.ok ? pattern.engine : pattern.message
}

describe('patterns', () => {
  it('mean what the engine says they mean, whoever matches them', () => {
    const seen = { backtracking: 0, machine: 0, true: 0, false: 0 }
    fc.assert(
      fc.property(randomPattern, fc.array(randomText, { minLength: 6, maxLength: 6 }), (source, texts) => {
        fc.pre(isAccepted(source))
        const pattern = compilePattern(source)
        const node = parsePattern(source)
        const machine = node === null ? 'no node' : createMachine(node)
        if (!pattern.ok || typeof machine === 'string')
          return expect([pattern, machine]).toEqual(['', 'unfolds to too many steps'])
        seen[pattern.engine] += 1
        const expression = new RegExp(source, 'u')
        const wrong = texts.filter((text) => {
          // Between two halves of a pair the engine finds a place that is none.
          if (source.includes('\\B') && /[\u{10000}-\u{10ffff}]/u.test(text)) return false
          const isMatch = expression.test(text)
          seen[`${isMatch}`] += 1
          return (
            pattern.matches(text, beginRun(null)) !== isMatch || machine(text, beginRun(null)) !== isMatch
          )
        })
        expect([source, wrong]).toEqual([source, []])
      }),
      { numRuns: roundsOf(120, 1200) },
    )
    expect(Math.min(...Object.values(seen))).toBeGreaterThan(roundsOf(5, 100))
  })

  it.for([
    ['^(a+)+$', 'a'.repeat(50) + 'b'],
    ['(x+x+)+y', 'x'.repeat(5000)],
    ['^(a|a)*$', 'a'.repeat(5000) + 'b'],
    ['^(a|aa)+$', 'a'.repeat(5000) + 'b'],
    ['(a*)*$', 'a'.repeat(5000) + 'b'.repeat(2)],
    ['^(\\w+\\s?)*$', 'a'.repeat(5000) + '!'],
    ['^([a-zA-Z0-9])(([\\-.]|[_]+)?([a-zA-Z0-9]+))*@$', 'a'.repeat(5000)],
    ['a*a*a*a*a*b', 'a'.repeat(5000)],
    ['^(([a-z])+.)+[A-Z]([a-z])+$', 'a'.repeat(5000)],
    ['\\s+$', ' '.repeat(20_000) + 'x'],
  ])('%s answers at once, whatever the text', ([source = '', text = '']) => {
    expect(engineOf(source)).toBe('machine')
    const isMatch = source === '(a*)*$'
    expect(fits({ pattern: source }, text)).toBe(isMatch)
    expect(fits({ patternProperties: { [source]: false } }, { [text]: 1 })).toBe(!isMatch)
  })

  it.for([
    '^[a-zA-Z0-9/_.-]+$',
    '^\\d{4}-\\d{2}-\\d{2}$',
    '^[a-z0-9]+(-[a-z0-9]+)*$',
    '^(?:ab|cd)*$',
    '^.{1,4096}$',
    '\\S',
    '\\.(ts|js)$',
    '^.*\\.ts$',
    '^\\p{L}+$',
    '^(?!.*\\.\\.)[a-z./]+$',
    '^(?=.*\\d)(?=.*[a-z]).{8,}$',
    '^[a-z]+(?<!-)$',
  ])('%s is plain enough for the engine', (source) => {
    expect(engineOf(source)).toBe('backtracking')
  })

  it.for([
    ['a backreference', '^(a)\\1$', /backreference/],
    ['a named backreference', '(?<x>a)\\k<x>', /backreference/],
    ['a lookahead in a loop', '^((?=.*a)b)*$', /lookahead/],
    ['a lookahead anywhere in the text', '(?=.*a.*b)', /lookahead/],
    ['a far lookahead after a choice', '^a*(?=.*b)', /lookahead/],
    ['a lookahead that is slow by itself', '^(?=(a+)+$)', /lookahead/],
    ['a group with flags of its own', '^(?i:a)$', /flags/],
    ['counts that multiply', '((a{0,99}){0,99}){0,99}b', /too many steps/],
    ['groups without end', `${'('.repeat(500)}${')'.repeat(500)}`, /nested too deep/],
    ['a text of its own', 'a'.repeat(5000), /longer than/],
  ] as const)('%s is refused when the schema is compiled', ([, pattern, message]) => {
    expect(faultOf({ pattern })).toEqual({ at: '/pattern', message: expect.stringMatching(message) })
  })

  it('a pattern that follows hundreds of ways at once is stopped before it takes long', () => {
    const schema = { pattern: '(a|b)*a(a|b){200}c' }
    expect(fits(schema, `${'ab'.repeat(120)}a${'b'.repeat(200)}c`)).toBe(true)
    expect(wordsOf(schema, 'ab'.repeat(100_000))).toEqual([
      expect.stringMatching(/^args takes more than \d+ steps/),
    ])
    expect(fits({ not: schema }, 'ab'.repeat(100_000))).toBe(false)
  })
})
