import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { asWritten, compileTokens } from '../../../src/core/glob/match-tokens.ts'
import type { Token } from '../../../src/core/glob/parse.ts'
import { roundsOf } from '../../harness/long-run.ts'

const letter = (character: string): Token => ({ kind: 'character', character })
const notB: Token = { kind: 'set', isNegated: true, ranges: [['b', 'b']] }

/** The same, told from the definition: what a star takes is tried in every length. */
function matchesSlowly([token, ...rest]: readonly Token[], characters: readonly string[]): boolean {
  if (token === undefined) return characters.length === 0
  const [first, ...others] = characters
  if (token.kind === 'star')
    return matchesSlowly(rest, characters) || (first !== undefined && matchesSlowly([token, ...rest], others))
  if (first === undefined) return false
  const fits = token.kind === 'any' || (token.kind === 'set' ? first !== 'b' : first === token.character)
  return fits && matchesSlowly(rest, others)
}

describe('a pattern of tokens', () => {
  it('matches what its definition says, also if a run of it is longer than a word of the machine', () => {
    const token = fc.constantFrom<Token>(letter('a'), letter('a'), letter('a'), { kind: 'any' }, notB)
    const run = fc.array(token, { minLength: 28, maxLength: 70 })
    const text = fc.string({ unit: fc.constantFrom('a', 'a', 'a', 'a', 'a', 'a', 'a', 'b'), maxLength: 90 })
    fc.assert(
      fc.property(run, text, fc.boolean(), (tokens, more, isIn) => {
        const pattern: readonly Token[] = [{ kind: 'star' }, ...tokens, { kind: 'star' }]
        const own = tokens.map((one) => (one.kind === 'character' ? one.character : 'a')).join('')
        const name = Array.from(isIn ? `${more}${own}b` : more)
        const wanted = matchesSlowly(pattern, name)
        if (isIn) expect(wanted).toBe(true)
        expect(compileTokens(pattern, asWritten)(name)).toBe(wanted)
      }),
      { numRuns: roundsOf(100, 1_000) },
    )
  })
})
