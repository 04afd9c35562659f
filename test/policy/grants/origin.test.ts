import { describe, expect, it } from 'vitest'
import { readScope } from '../../../src/core/grant.ts'
import type { GrantScope } from '../../../src/core/grant.ts'
import { readPermission } from '../../../src/policy/grants/answer.ts'
import { compileCover, prepareCall } from '../../../src/policy/grants/cover.ts'
import { offerScopes } from '../../../src/policy/grants/offer-scopes.ts'

const call = { tool: 'web_fetch', argsDigest: 'd', paths: [], command: null, origin: 'https://example.com' }
const witness = { id: 'g', by: 'ada', now: 1_000 }
const covers = (scope: GrantScope, origin: string): boolean =>
  compileCover(scope)(prepareCall({ ...call, origin }))

describe('a grant for an origin', () => {
  it('covers every address of it, and no other origin', () => {
    const scope = { kind: 'origin', origin: 'https://example.com' } as const
    expect(covers(scope, 'https://example.com')).toBe(true)
    for (const other of ['http://example.com', 'https://example.com:8443', 'https://www.example.com'])
      expect([other, covers(scope, other)]).toEqual([other, false])
    const { origin: _origin, ...elsewhere } = call
    expect(compileCover(scope)(prepareCall(elsewhere))).toBe(false)
  })

  it('is the widest that is offered', () => {
    expect(offerScopes(call).map(({ scope }) => scope)).toEqual([
      { kind: 'arguments', digest: 'd' },
      { kind: 'origin', origin: 'https://example.com' },
    ])
  })

  it('a grant for a whole tool does not reach the web', () => {
    expect(covers({ kind: 'tool' }, 'https://example.com')).toBe(false)
  })

  it('is what an answer for the whole tool comes to', () => {
    for (const answer of [
      { answer: 'duration', seconds: 60 },
      { answer: 'scope', scope: { kind: 'tool' } },
    ] as const)
      expect(readPermission(answer, call, witness)).toMatchObject({
        ok: true,
        grant: { scope: { kind: 'origin', origin: 'https://example.com' } },
      })
  })

  it('has to be for the origin that was asked about', () => {
    for (const origin of ['https://other.com', ''])
      expect(readPermission({ answer: 'scope', scope: { kind: 'origin', origin } }, call, witness).ok).toBe(
        false,
      )
  })

  it('is read from records only if it names one', () => {
    expect(readScope({ kind: 'origin', origin: 'https://example.com' })).not.toBeNull()
    expect(readScope({ kind: 'origin' })).toBeNull()
    expect(readScope({ kind: 'origin', origin: 1 })).toBeNull()
  })
})
